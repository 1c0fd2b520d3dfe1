import { Effect } from "effect"
import type { SchedulerLeaseServer } from "../../proto/generated/lease.ts"
import { isStorable } from "../domain/kernel/Text.ts"
import { maxLeaseSeconds, SchedulerLeases } from "../services/schedules/SchedulerLeases.ts"
import { makeCalls } from "./Calls.ts"
import { type CallFailed, invalid, readProjectId, writeTime } from "./Convert.ts"
import type { Peer, Peers } from "./Peers.ts"

const maxProjects = 1000
const maxInstanceLength = 128
const minTtl = 5

/** An instance is one process of a scheduler; its certificate's name keeps it from the leases of other schedulers. */
const readHolder = ({ name }: Peer, instanceId: string): Effect.Effect<string, CallFailed> =>
  instanceId.length >= 1 && instanceId.length <= maxInstanceLength && isStorable(instanceId)
    ? Effect.succeed(`${name}/${instanceId}`)
    : invalid(`instance_id must have 1 to ${maxInstanceLength} characters, and no NUL.`)

/** The service of `proto/lease.proto`, for pairs of svc-scheduler. */
export const makeLeaseService = (peers: Peers) =>
  Effect.gen(function*() {
    const leases = yield* SchedulerLeases
    const { unary } = yield* makeCalls(peers)
    return {
      listProjects: unary("ListProjects", () =>
        Effect.map(leases.listProjects, (projects) => ({ projects: [...projects] }))),
      hold: unary(
        "Hold",
        Effect.fnUntraced(function*({ instance_id, project_ids, ttl_seconds }, peer) {
          const holder = yield* readHolder(peer, instance_id)
          peer.instance = holder
          if (project_ids.length > maxProjects) {
            return yield* invalid(`At most ${maxProjects} project_ids.`)
          }
          if (ttl_seconds < minTtl || ttl_seconds > maxLeaseSeconds) {
            return yield* invalid(`ttl_seconds must be from ${minTtl} to ${maxLeaseSeconds}.`)
          }
          const ids = yield* Effect.forEach(project_ids, (id) =>
            readProjectId("project_ids", id))
          const found = yield* leases.hold(ids, holder, ttl_seconds * 1000)
          return {
            leases: found.map((lease) => ({
              project_id: lease.project_id,
              held: lease.holder === holder,
              holder: lease.holder,
              expires_at: writeTime(lease.expires_at)
            }))
          }
        })
      ),
      release: unary(
        "Release",
        ({ instance_id }, peer) => Effect.as(Effect.flatMap(readHolder(peer, instance_id), leases.release), {})
      )
    } satisfies SchedulerLeaseServer
  })
