import type { FacetRow } from "./TransactionTotals.ts"

/** How long a written facet counts as known. The sweeper keeps what was written in the last two days. */
const TTL_MILLIS = 3_600_000
const MAX_FACETS = 100_000

/**
 * The facets that this process has written lately, so that a known name costs no write. Each is written again after an
 * hour, which keeps the `seen_at` of a facet in use recent.
 */
export class KnownFacets {
  private readonly expiresAt = new Map<string, number>()

  filterUnknown(facets: ReadonlyArray<FacetRow>, millis: number): ReadonlyArray<FacetRow> {
    return facets.filter((facet) => (this.expiresAt.get(nameOf(facet)) ?? 0) <= millis)
  }

  /** Call it after the commit. */
  add(facets: ReadonlyArray<FacetRow>, millis: number): void {
    if (this.expiresAt.size > MAX_FACETS) this.expiresAt.clear()
    for (const facet of facets) this.expiresAt.set(nameOf(facet), millis + TTL_MILLIS)
  }
}

const nameOf = ({ facet, project_id, value }: FacetRow): string => `${project_id} ${facet} ${value}`
