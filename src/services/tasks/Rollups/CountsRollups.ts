import { Context } from "effect"

/** Whether the ingest counts rollups. The bench measures with it what they cost. */
export class CountsRollups extends Context.Reference<CountsRollups>()("svc/rollups/CountsRollups", {
  defaultValue: () => true
}) {}
