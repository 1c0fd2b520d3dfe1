import type { ClaimedDelivery } from "../../Deliveries/Repo.ts"

/** Sends of a process that are younger than `slowMillis` (interface, Limits). Slower ones make room for others. */
const maxFresh = 16

/** All sends of a process, also those that hang. It bounds the memory. */
const maxSends = 256

/** Sends to channels whose last attempt failed, so that they leave room for the others. */
const maxFailingSends = 128

/** Sends to one channel at a time, and to one whose last attempt failed. */
const maxOfChannel = 8
const maxOfFailingChannel = 1

/** What this process has claimed and not yet recorded, and the room that this leaves. `wake`: there is room again. */
export const makeInFlight = (wake: () => void) => {
  const claims = new Map<string, ClaimedDelivery>()
  const sendsOf = new Map<string, number>()
  /** Sends by channel that are no longer fresh and have no response. */
  const slowOf = new Map<string, number>()
  const failingChannels = new Set<string>()
  let fresh = 0
  /** The last poll left deliveries for lack of room among the fresh ones. */
  let isFreshFull = false

  const count = (counts: Map<string, number>, channelId: string, change: 1 | -1): void => {
    const sum = (counts.get(channelId) ?? 0) + change
    if (sum > 0) counts.set(channelId, sum)
    else counts.delete(channelId)
  }

  return {
    claims: (): ReadonlyArray<ClaimedDelivery> => [...claims.values()],
    size: (): number => claims.size,
    /**
     * Returns those that this process does not send already. It can claim a delivery twice: while the database does not
     * respond, a sent one is not recorded, and its lease ends. The attempt is then recorded under the newer claim.
     */
    add: (claimed: ReadonlyArray<ClaimedDelivery>): ReadonlyArray<ClaimedDelivery> => {
      const added = claimed.filter(({ id }) => !claims.has(id))
      for (const delivery of claimed) claims.set(delivery.id, delivery)
      for (const { channel_id } of added) count(sendsOf, channel_id, 1)
      return added
    },
    newestOf: (delivery: ClaimedDelivery): ClaimedDelivery => claims.get(delivery.id) ?? delivery,
    remove: ({ channel_id, id }: ClaimedDelivery): void => {
      if (!claims.delete(id)) return
      count(sendsOf, channel_id, -1)
      wake()
    },

    isFailing: (channelId: string): boolean => failingChannels.has(channelId),
    setFailing: (channelId: string, isFailing: boolean): void => {
      if (isFailing) failingChannels.add(channelId)
      else failingChannels.delete(channelId)
    },

    /** How many may be claimed now, of all channels and of those that fail. */
    room: () => {
      const failing = [...sendsOf].reduce((sum, [id, sends]) => (failingChannels.has(id) ? sum + sends : sum), 0)
      return { all: Math.min(maxFresh - fresh, maxSends - claims.size), failing: maxFailingSends - failing }
    },
    /** How many of the channel may be claimed now. */
    roomOf: (channelId: string, isFailing: boolean): number =>
      slowOf.has(channelId) // it may hang: one poll must not give it all the room
        ? 0
        : (isFailing ? maxOfFailingChannel : maxOfChannel) - (sendsOf.get(channelId) ?? 0),
    /** After a poll that claimed so many: where they fill the room of fresh ones, `wake` is called once half of it is free. */
    endPoll: (claimed: number): void => {
      isFreshFull = fresh + claimed >= maxFresh
    },

    /** A send begins: it counts as fresh until it leaves, becomes slow or ends. */
    begin: (channelId: string) => {
      let isFresh = true
      let isSlow = false
      fresh++
      const leaveFresh = (): void => {
        if (!isFresh) return
        isFresh = false
        fresh--
        // at half of the room, because each poll costs a commit whatever the number that it claims
        if (isFreshFull && fresh <= maxFresh / 2) wake()
      }
      return {
        leaveFresh,
        becomeSlow: (): void => {
          isSlow = true
          count(slowOf, channelId, 1)
          leaveFresh()
        },
        end: (): void => {
          if (isSlow) count(slowOf, channelId, -1)
          leaveFresh()
        }
      }
    }
  } as const
}

export type InFlight = ReturnType<typeof makeInFlight>
