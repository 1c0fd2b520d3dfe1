import { Channels } from "../../../services/alerting/Channels.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("channels", function*(handlers) {
  const { project } = yield* Channels
  return handlers
    .handle("list", () => project.list())
    .handle("create", ({ payload }) => project.create(payload))
    .handle("importFromUser", ({ payload }) => project.importFromUser(payload))
    .handle("testConfig", ({ payload }) => project.testConfig(payload))
    .handle("update", ({ path, payload }) => project.update(path.channel_id, payload))
    .handle("remove", ({ path }) => project.remove(path.channel_id))
    .handle("test", ({ path }) => project.test(path.channel_id))
})

export const layerPersonal = implementGroup("user_channels", function*(handlers) {
  const { personal } = yield* Channels
  return handlers
    .handle("list", () => personal.list())
    .handle("create", ({ payload }) => personal.create(payload))
    .handle("importFromProject", ({ payload }) => personal.importFromProject(payload))
    .handle("testConfig", ({ payload }) => personal.testConfig(payload))
    .handle("update", ({ path, payload }) => personal.update(path.channel_id, payload))
    .handle("remove", ({ path }) => personal.remove(path.channel_id))
    .handle("test", ({ path }) => personal.test(path.channel_id))
})
