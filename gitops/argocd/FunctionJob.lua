-- Health of a sless.dev FunctionJob for Argo CD. A wave waits for a run, and goes on past one that runID 0 skips.
local hs = { status = "Progressing", message = "waiting for the operator" }
local status = obj.status
if status == nil or status.observedGeneration ~= obj.metadata.generation then
  return hs
end
hs.message = status.message or ""
if status.phase == "Succeeded" or status.phase == "Skipped" then
  hs.status = "Healthy"
elseif status.phase == "Failed" then
  hs.status = "Degraded"
end
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Stalled" and condition.status == "True" then
    hs.status = "Degraded"
  end
end
return hs
