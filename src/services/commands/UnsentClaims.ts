import type { CommandClaim } from "./Model.ts"

/**
 * Claims that this replica may have committed and has certainly not sent: their statement got no response, their
 * session was full, or a statement after the claim failed. Memory only: the sessions of a process end with it.
 */
export class UnsentClaims {
  private readonly claims = new Map<string, { readonly claim: CommandClaim; readonly addedAt: number }>()

  /** Adds the claims before their statement runs, each with this time; returns those that were not there yet. */
  add(claims: ReadonlyArray<CommandClaim>, now: number): ReadonlyArray<CommandClaim> {
    const added = claims.filter((claim) => !this.has(claim))
    for (const claim of claims) this.claims.set(keyOf(claim), { claim, addedAt: now })
    return added
  }

  has(claim: ClaimKey): boolean {
    return this.claims.has(keyOf(claim))
  }

  /** Call it before the command is written to its socket, and once it is known that the claim was not committed. */
  remove(claim: ClaimKey): void {
    this.claims.delete(keyOf(claim))
  }

  removeBefore(time: number): void {
    for (const [key, { addedAt }] of this.claims) if (addedAt < time) this.claims.delete(key)
  }

  removeSessionsExcept(sessionIds: ReadonlySet<string>): void {
    for (const [key, { claim }] of this.claims) if (!sessionIds.has(claim.session_id)) this.claims.delete(key)
  }

  list(): ReadonlyArray<CommandClaim> {
    return [...this.claims.values()].map(({ claim }) => claim)
  }

  get isEmpty(): boolean {
    return this.claims.size === 0
  }
}

type ClaimKey = Pick<CommandClaim, "id" | "session_id" | "claimed_at">

const keyOf = ({ claimed_at, id, session_id }: ClaimKey): string => `${id} ${session_id} ${claimed_at}`
