import { Clock, Effect, Either } from "effect"
import type { ChannelTestResult } from "../../../domain/alerting/Channel.ts"
import { aboutChannel, type Notification } from "../../../domain/alerting/Notification.ts"
import { DeliveryId } from "../../../domain/kernel/Id.ts"
import type { Project } from "../../../domain/kernel/Project.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import type { TestAttempt } from "../Deliveries.ts"
import type { ChannelConfig } from "./ChannelType.ts"
import { ChannelTypes } from "./ChannelTypes.ts"

/** What a test sends. Each test is a condition of its own. */
const testNotification = (
  project: Project | null,
  name: string,
  id: string,
  at: Timestamp.Timestamp
): Notification => ({
  kind: "test",
  trigger: "test.dispatch",
  severity: "info",
  project: project === null ? null : { id: project.id, slug: project.slug, name: project.name },
  title: "Test message of svc",
  text: "This message was sent to test the channel. Nothing happened, and nothing needs to be done.",
  facts: [{ name: "Channel", value: name }],
  dedup_key: `test-${id}`,
  occurrences: 1,
  first_at: at,
  last_at: at,
  ...aboutChannel
})

/** A test message that was sent, and what came of it. */
export interface SentTest {
  readonly notification: Notification
  readonly attempt: TestAttempt
  /** The config to store instead; null: the provider asked for no change. */
  readonly changed_config: ChannelConfig | null
}

export const toTestResult = ({ error, response_body, response_code, status }: TestAttempt): ChannelTestResult => ({
  success: status === "sent",
  status_code: response_code,
  error,
  response_body
})

/** Sends one test message through a channel of this config, and waits for the response. */
export const makeSendTest = Effect.gen(function*() {
  const types = yield* ChannelTypes

  return Effect.fnUntraced(function*(project: Project | null, type: string, name: string, config: ChannelConfig) {
    const [id, at, startMillis] = [yield* Ids.nextOf(DeliveryId), yield* Timestamp.now, yield* Clock.currentTimeMillis]
    const notification = testNotification(project, name, id, at)
    const channelType = types.find(type)
    if (channelType === undefined) return yield* Effect.dieMessage(`a channel has the type ${type}`)
    const outcome = yield* Effect.either(
      channelType.send(config, { delivery_id: id, attempt: 1, sent_at: at, notification })
    )
    const { response_body, response_code } = Either.merge(outcome)
    return {
      notification,
      attempt: {
        delivery_id: id,
        number: 1,
        status: Either.isRight(outcome) ? "sent" : "failed",
        response_code,
        error: Either.isRight(outcome) ? null : outcome.left.reason,
        response_body,
        started_at: at,
        duration_ms: Math.max(0, (yield* Clock.currentTimeMillis) - startMillis) // the clock may be set during the send
      },
      changed_config: Either.getOrNull(outcome)?.changed_config ?? null
    } satisfies SentTest
  })
})
