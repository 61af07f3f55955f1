-- Health of a sless.dev Trigger for Argo CD. One that is disabled is as it shall be.
local hs = { status = "Progressing", message = "waiting for the operator" }
local status = obj.status
if status == nil or status.observedGeneration ~= obj.metadata.generation then
  return hs
end
hs.message = status.message or ""
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" and condition.status == "True" then
    hs.status = "Healthy"
  elseif condition.type == "Stalled" and condition.status == "True" then
    hs.status = "Degraded"
  end
end
return hs
