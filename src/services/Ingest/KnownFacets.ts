import type { FacetRow } from "./Tally.ts"

/** So long a facet that was written counts as known. The sweeper leaves alone what was written in the last days. */
const TTL_MILLIS = 3_600_000
const MAX_FACETS = 100_000

/**
 * The facets that this process has written lately, so that a known name costs nothing. Written again each hour: the
 * `seen_at` of a facet that is in use is never old.
 */
export class KnownFacets {
  private readonly expiresAt = new Map<string, number>()

  filterUnknown(facets: ReadonlyArray<FacetRow>, millis: number): ReadonlyArray<FacetRow> {
    return facets.filter((facet) => (this.expiresAt.get(nameOf(facet)) ?? 0) <= millis)
  }

  /** These were committed. */
  add(facets: ReadonlyArray<FacetRow>, millis: number): void {
    if (this.expiresAt.size > MAX_FACETS) this.expiresAt.clear()
    for (const facet of facets) this.expiresAt.set(nameOf(facet), millis + TTL_MILLIS)
  }
}

const nameOf = ({ facet, project_id, value }: FacetRow): string => `${project_id} ${facet} ${value}`
