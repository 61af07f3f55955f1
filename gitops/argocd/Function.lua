-- Health of a sless.dev Function for Argo CD. A sync wave goes on past Healthy alone, so one that waits for its code is Healthy, too:
-- the upload may come long after the Function.
local hs = { status = "Progressing", message = "waiting for the operator" }
local status = obj.status
if status == nil or status.observedGeneration ~= obj.metadata.generation then
  return hs
end
hs.message = status.message or ""
local reason = nil
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" then
    reason = condition.reason
  end
end
if status.phase == "Ready" or reason == "AwaitingCode" then
  hs.status = "Healthy"
elseif status.phase == "Failed" then
  hs.status = "Degraded"
end
return hs
