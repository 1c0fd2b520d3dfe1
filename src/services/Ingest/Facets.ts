import type { FacetRow } from "./Tally.ts"

/** So long a facet that was written counts as known. The sweeper leaves alone what was written in the last days. */
const REMEMBERED_MILLIS = 3_600_000
const MOST = 100_000

/**
 * The facets that this process has written lately, so that a known name costs nothing. Written again each hour: the
 * `seen_at` of a facet that is in use is never old.
 */
export class KnownFacets {
  private readonly until = new Map<string, number>()

  unknown(facets: ReadonlyArray<FacetRow>, millis: number): ReadonlyArray<FacetRow> {
    return facets.filter((facet) => (this.until.get(nameOf(facet)) ?? 0) <= millis)
  }

  /** These were committed. */
  add(facets: ReadonlyArray<FacetRow>, millis: number): void {
    if (this.until.size > MOST) this.until.clear()
    for (const facet of facets) this.until.set(nameOf(facet), millis + REMEMBERED_MILLIS)
  }
}

const nameOf = ({ facet, project_id, value }: FacetRow): string => `${project_id} ${facet} ${value}`
