import { api, type Schemas, unwrap } from "../../api/client.ts"

/** Of a project or of a person; only that of a person says whether a test of it succeeded. */
export type AnyChannel = Omit<Schemas["UserChannel"], "is_verified"> & { readonly is_verified?: boolean }

/** The calls for the channels of one owner. */
export interface ChannelOwner {
  /** Of the queries about them. */
  readonly key: ReadonlyArray<string>
  readonly list: () => Promise<ReadonlyArray<AnyChannel>>
  readonly create: (body: Schemas["ChannelCreate"]) => Promise<AnyChannel>
  readonly update: (id: string, body: Schemas["ChannelUpdate"]) => Promise<AnyChannel>
  readonly remove: (id: string) => Promise<unknown>
  readonly test: (id: string) => Promise<Schemas["ChannelTestResult"]>
  readonly testConfig: (body: Schemas["ChannelTestRequest"]) => Promise<Schemas["ChannelTestResult"]>
}

const projectPath = "/api/v1/projects/{slug}/notifications/channels"
const userPath = "/api/v1/user/channels"

export const channelsOfProject = (slug: string): ChannelOwner => {
  const one = (channel_id: string) => ({ params: { path: { slug, channel_id } } })
  const all = { params: { path: { slug } } }
  return {
    key: ["channels", slug],
    list: () => unwrap(api.GET(projectPath, all)),
    create: (body) => unwrap(api.POST(projectPath, { ...all, body })),
    update: (id, body) => unwrap(api.PATCH(`${projectPath}/{channel_id}`, { ...one(id), body })),
    remove: (id) => unwrap(api.DELETE(`${projectPath}/{channel_id}`, one(id))),
    test: (id) => unwrap(api.POST(`${projectPath}/{channel_id}/test`, one(id))),
    testConfig: (body) => unwrap(api.POST(`${projectPath}/test`, { ...all, body }))
  }
}

/** Those of the signed-in person. */
export const ownChannels: ChannelOwner = {
  key: ["own channels"],
  list: () => unwrap(api.GET(userPath)),
  create: (body) => unwrap(api.POST(userPath, { body })),
  update: (channel_id, body) =>
    unwrap(api.PATCH(`${userPath}/{channel_id}`, { params: { path: { channel_id } }, body })),
  remove: (channel_id) => unwrap(api.DELETE(`${userPath}/{channel_id}`, { params: { path: { channel_id } } })),
  test: (channel_id) => unwrap(api.POST(`${userPath}/{channel_id}/test`, { params: { path: { channel_id } } })),
  testConfig: (body) => unwrap(api.POST(`${userPath}/test`, { body }))
}
