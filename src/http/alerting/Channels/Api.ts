import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import {
  Channel,
  ChannelCreate,
  ChannelTestRequest,
  ChannelTestResult,
  ChannelUpdate,
  ImportFromProject,
  ImportFromUser,
  UserChannel
} from "../../../domain/alerting/Channel.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, ChannelId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const channelId = pathParameter("channel_id", caseInsensitiveId(ChannelId), "The channel's id.", exampleId)

/** A config may have 16 KiB (interface, Limits), and every character of it may be an escape of six. */
const bodyLimit = 128 * 1024

const [read, write] = ["notifications:read", "notifications:write"] as const

const createdText =
  "The config is checked before it is stored: its fields, and for a URL or mail server each address of its host. " +
  "Secrets are encrypted, and masked in every response."

const changedText =
  "A config is merged: an absent field keeps its value, null removes an optional one, and an empty or masked secret " +
  "keeps the stored one. A stored secret must be given again when the config sends it to another host. " +
  "`is_active: true` clears why the channel was disabled."

const testedText =
  "Sends a test message and waits for the receiver's response, at most 30 s. A 200 response reports the result in `success`."

/** A project's channels (bodies: notifications). */
export class ChannelsApi extends projectGroup("channels", "Notifications")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/notifications/channels`
      .addSuccess(Schema.Array(Channel))
      .annotate(Access, { caller: "admin", scope: read })
      .annotateContext(operation("List a project's channels", "In the order of their creation."))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/notifications/channels`
      .setPayload(ChannelCreate)
      .addSuccess(Channel, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: write,
        mutates: true,
        creates: true,
        stepUp: true,
        bucket: "bulk_write",
        bodyLimit,
        failureCodes: ["too_many_channels"]
      })
      .annotateContext(operation("Create a project's channel", createdText))
  )
  .add(
    HttpApiEndpoint.post("importFromUser")`/projects/${slug}/notifications/channels/import_from_user`
      .setPayload(ImportFromUser)
      .addSuccess(Channel, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: write,
        mutates: true,
        creates: true,
        stepUp: true,
        bucket: "channel_import",
        failureCodes: ["not_found", "too_many_channels"]
      })
      .annotateContext(operation(
        "Copy a personal channel into a project",
        "With its secrets. The original must be the caller's own."
      ))
  )
  .add(
    HttpApiEndpoint.post("testConfig")`/projects/${slug}/notifications/channels/test`
      .setPayload(ChannelTestRequest)
      .addSuccess(ChannelTestResult)
      .annotate(Access, { caller: "admin", scope: write, mutates: true, bucket: "channel_test", bodyLimit })
      .annotateContext(operation("Try a config", `${testedText} Nothing is saved.`))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/notifications/channels/${channelId}`
      .setPayload(ChannelUpdate)
      .addSuccess(Channel)
      .annotate(Access, {
        caller: "admin",
        scope: write,
        mutates: true,
        stepUp: true,
        bodyLimit,
        failureCodes: ["conflict"]
      })
      .annotateContext(operation("Change a project's channel", changedText))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/notifications/channels/${channelId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "admin", scope: write, mutates: true, stepUp: true })
      .annotateContext(operation(
        "Delete a project's channel",
        "Defaults and subscriptions lose it. The log of its deliveries stays."
      ))
  )
  .add(
    HttpApiEndpoint.post("test")`/projects/${slug}/notifications/channels/${channelId}/test`
      .addSuccess(ChannelTestResult)
      .annotate(Access, { caller: "admin", scope: write, mutates: true, bucket: "channel_test" })
      .annotateContext(operation(
        "Test a project's channel",
        `${testedText} Leaves a delivery with the trigger \`test.dispatch\`.`
      ))
  )
{}

/** The caller's own channels (bodies: user-notifications). */
export class UserChannelsApi extends actorGroup("user_channels", "Notifications")
  .add(
    HttpApiEndpoint.get("list", "/user/channels")
      .addSuccess(Schema.Array(UserChannel))
      .annotate(Access, { caller: "authenticated", scope: read })
      .annotateContext(operation("List your channels", "In the order of their creation."))
  )
  .add(
    HttpApiEndpoint.post("create", "/user/channels")
      .setPayload(ChannelCreate)
      .addSuccess(UserChannel, { status: 201 })
      .annotate(Access, {
        caller: "authenticated",
        scope: write,
        mutates: true,
        creates: true,
        bodyLimit,
        failureCodes: ["too_many_channels"]
      })
      .annotateContext(operation("Create a channel of your own", createdText))
  )
  .add(
    HttpApiEndpoint.post("importFromProject", "/user/channels/import_from_project")
      .setPayload(ImportFromProject)
      .addSuccess(UserChannel, { status: 201 })
      .annotate(Access, {
        caller: "authenticated",
        scope: write,
        mutates: true,
        creates: true,
        bucket: "channel_import",
        failureCodes: ["not_found", "forbidden", "too_many_channels"]
      })
      .annotateContext(operation(
        "Copy a project's channel to yourself",
        "With its secrets, and therefore for admins of the project only."
      ))
  )
  .add(
    HttpApiEndpoint.post("testConfig", "/user/channels/test")
      .setPayload(ChannelTestRequest)
      .addSuccess(ChannelTestResult)
      .annotate(Access, { caller: "authenticated", scope: write, mutates: true, bucket: "channel_test", bodyLimit })
      .annotateContext(operation("Try a config for yourself", `${testedText} Nothing is saved.`))
  )
  .add(
    HttpApiEndpoint.patch("update")`/user/channels/${channelId}`
      .setPayload(ChannelUpdate)
      .addSuccess(UserChannel)
      .annotate(Access, { caller: "authenticated", scope: write, mutates: true, bodyLimit, failureCodes: ["conflict"] })
      .annotateContext(operation("Change a channel of your own", changedText))
  )
  .add(
    HttpApiEndpoint.del("remove")`/user/channels/${channelId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "authenticated", scope: write, mutates: true })
      .annotateContext(operation(
        "Delete a channel of your own",
        "Your subscriptions lose it. The log of its deliveries stays."
      ))
  )
  .add(
    HttpApiEndpoint.post("test")`/user/channels/${channelId}/test`
      .addSuccess(ChannelTestResult)
      .annotate(Access, { caller: "authenticated", scope: write, mutates: true, bucket: "channel_test" })
      .annotateContext(operation(
        "Test a channel of your own",
        `${testedText} Leaves a delivery with the trigger \`test.dispatch\`, and a success verifies the channel.`
      ))
  )
{}
