import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { CommandPull, FrameUpload, FrameUploadAnswer } from "../../domain/LongPoll.ts"
import { wholeOr } from "../../domain/Query.ts"
import { FromAgent } from "../Access.ts"

const mebibyte = 1024 * 1024

/** The agents' line over plain HTTP; for agents only (interface, Agents; the agents' protocol, section 1.2). */
export class AgentLongPollApi extends HttpApiGroup.make("agentLongPoll")
  .add(
    HttpApiEndpoint.get("pull", "/agent/commands")
      .setUrlParams(Schema.Struct({ wait: wholeOr(0, 60, 30), max_frames: wholeOr(0, 500, 50) }))
      .addSuccess(CommandPull)
      .annotate(Access, { caller: "agent", bucket: "agent" })
  )
  .add(
    HttpApiEndpoint.post("push", "/agent/events")
      .setPayload(FrameUpload)
      .addSuccess(FrameUploadAnswer)
      .annotate(Access, { caller: "agent", bucket: "agent", bodyLimit: 8 * mebibyte })
  )
  .middleware(FromAgent)
{}
