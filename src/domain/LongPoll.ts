import { Schema } from "effect"

/** Bodies of the agents' long-poll: signed frames as text (the agents' protocol, section 1.2). */
export const FrameUpload = Schema.Struct({
  frames: Schema.Array(Schema.String).pipe(Schema.minItems(1), Schema.maxItems(500))
}).annotations({ identifier: "FrameUpload" })

export const FrameUploadAnswer = Schema.Struct({
  /** As many as were sent: an agent keeps and re-sends all of them if the number is any other. */
  accepted: Schema.Int,
  rejected: Schema.Int
}).annotations({ identifier: "FrameUploadAnswer" })

export const CommandPull = Schema.Struct({ frames: Schema.Array(Schema.String) }).annotations({ identifier: "CommandPull" })
