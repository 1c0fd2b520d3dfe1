import { Schema } from "effect"
import { describeBody, describeField } from "../kernel/Describe.ts"

/** Bodies of the agents' long-poll: signed frames as text (the agents' protocol, section 1.2). */
export const FrameUpload = Schema.Struct({
  frames: describeField(
    Schema.Array(Schema.String).pipe(Schema.minItems(1), Schema.maxItems(500)),
    "1 to 500 frames, each JSON text.",
    ["{\"v\":2,…}"]
  )
}).annotations(describeBody("FrameUpload", "Signed frames of an agent."))

export const FrameUploadResponse = Schema.Struct({
  accepted: describeField(
    Schema.Int,
    "As many as were sent; after another number the agent sends all of them again.",
    1
  ),
  rejected: describeField(
    Schema.Int,
    "Always 0: a push is taken as a whole, or refused with a status of 4xx or 5xx.",
    0
  ),
  errors: describeField(Schema.Array(Schema.String), "Always empty.", []),
  error_code: describeField(Schema.Null, "Always null: the code of a refusal is in its problem.", null)
}).annotations(describeBody("FrameUploadAnswer", "How many frames were taken."))

export const CommandPull = Schema.Struct({
  frames: describeField(Schema.Array(Schema.String), "Frames, each JSON text.", ["{\"v\":2,…}"])
}).annotations(describeBody("CommandPull", "Signed frames for an agent."))
