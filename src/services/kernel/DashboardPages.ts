import { Effect } from "effect"
import { publicUrlOf } from "./PublicUrl.ts"
import { Settings } from "./Settings.ts"

/** The addresses of the dashboard's pages, for messages and mails. */
export class DashboardPages extends Effect.Service<DashboardPages>()("svc/DashboardPages", {
  effect: Effect.map(Settings, (settings) => {
    let isServed = settings.dashboard
    return {
      isServed: () => isServed,
      /** The path begins with a slash. Null: the brain serves no dashboard. */
      urlOf: (path: string): string | null => isServed ? publicUrlOf(settings) + path : null,
      /** The routes have no dashboard, whatever the setting says. */
      leaveOut: Effect.sync(() => {
        isServed = false
      })
    } as const
  })
}) {
  static readonly layer = this.Default
}
