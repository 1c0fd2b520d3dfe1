import type { TargetRate } from "../../Channels/ChannelType.ts"

interface Bucket {
  readonly rate: TargetRate
  tokens: number
  /** Milliseconds since 1970. */
  filledAt: number
  pausedUntil: number
}

/** Targets and channels that are remembered; a forgotten target begins with a full bucket. */
const maxKnown = 10_000

const remember = <A>(known: Map<string, A>, key: string, value: A): A => {
  known.delete(key)
  const [oldest] = known.size >= maxKnown ? known.keys() : []
  if (oldest !== undefined) known.delete(oldest)
  known.set(key, value)
  return value
}

/** Token buckets of the targets that this process sends to, one for each server or chat. */
export const makeTargetRates = () => {
  const buckets = new Map<string, Bucket>()
  /** The targets of channels that have sent. */
  const targetOf = new Map<string, string>()

  const refill = (bucket: Bucket, now: number): Bucket => {
    const { burst, per_second } = bucket.rate
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.filledAt) / 1000 * per_second)
    bucket.filledAt = now
    return bucket
  }

  const find = (target: string, rate: TargetRate, now: number): Bucket => {
    const known = buckets.get(target)
    return known === undefined
      ? remember(buckets, target, { rate, tokens: rate.burst, filledAt: now, pausedUntil: 0 })
      : refill(known, now)
  }

  return {
    setTarget: (channelId: string, target: string): void => void remember(targetOf, channelId, target),
    /** Messages that the channel's target takes now. */
    available: (channelId: string, now: number): number => {
      const target = targetOf.get(channelId)
      if (target === undefined) return 1 // the first one shows the target
      const bucket = buckets.get(target)
      if (bucket === undefined) return Infinity
      return bucket.pausedUntil > now ? 0 : Math.floor(refill(bucket, now).tokens)
    },
    /** Milliseconds until the channel's target takes a message. */
    waitOf: (channelId: string, now: number): number => {
      const target = targetOf.get(channelId)
      const bucket = target === undefined ? undefined : buckets.get(target)
      if (bucket === undefined) return 0
      const { tokens } = refill(bucket, now)
      return Math.max(0, (1 - tokens) / bucket.rate.per_second * 1000, bucket.pausedUntil - now)
    },
    /** Takes a token, and returns the milliseconds to wait before the message is sent. */
    take: (target: string, rate: TargetRate, now: number): number => {
      const bucket = find(target, rate, now)
      bucket.tokens -= 1
      const wait = bucket.tokens >= 0 ? 0 : -bucket.tokens / rate.per_second * 1000
      return Math.max(wait, bucket.pausedUntil - now)
    },
    /** A token that was taken for a message that is not sent. */
    giveBack: (target: string, rate: TargetRate, now: number): void => {
      find(target, rate, now).tokens += 1
    },
    pause: (target: string, rate: TargetRate, now: number, seconds: number): void => {
      const bucket = find(target, rate, now)
      bucket.pausedUntil = Math.max(bucket.pausedUntil, now + seconds * 1000)
    }
  } as const
}

export type TargetRates = ReturnType<typeof makeTargetRates>
