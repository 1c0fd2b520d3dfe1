import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { CommandPull, FrameUpload, FrameUploadResponse } from "../../../domain/agents/LongPoll.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { describeField } from "../../../domain/kernel/Describe.ts"
import { wholeNumber } from "../../../domain/kernel/Query.ts"
import { sessionNonce, withParameters } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { agentGroup } from "../../Groups.ts"

const mebibyte = 1024 * 1024

/** Long-poll, the agents' transport over plain HTTP (interface, Agents; the agents' protocol, section 1.2). */
export class AgentLongPollApi extends agentGroup("agentLongPoll", "Agent protocol")
  .add(
    HttpApiEndpoint.get("pull", "/agent/commands")
      .setUrlParams(Schema.Struct({
        wait: describeField(Schema.optional(wholeNumber(0, 60)), "Seconds to wait for a command.", 30),
        max_frames: describeField(Schema.optional(wholeNumber(0, 500)), "The most frames.", 50)
      }))
      .addSuccess(CommandPull)
      .annotateContext(withParameters(sessionNonce))
      .annotate(Access, {
        caller: "agent",
        bucket: "agent",
        failureCodes: ["session_nonce_missing", "frame_refused", "unavailable"]
      })
      .annotateContext(operation(
        "Wait for commands",
        "Signed frames for the agent, at once or after at most `wait` seconds."
      ))
  )
  .add(
    HttpApiEndpoint.post("push", "/agent/events")
      .setPayload(FrameUpload)
      .addSuccess(FrameUploadResponse)
      .annotateContext(withParameters(sessionNonce))
      .annotate(Access, {
        caller: "agent",
        bucket: "agent",
        bodyLimit: 8 * mebibyte,
        failureCodes: ["session_nonce_missing", "frame_refused", "unavailable"]
      })
      .annotateContext(operation("Send events", "Signed frames of the agent. An acknowledged frame is committed."))
  )
{}
