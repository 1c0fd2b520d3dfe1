import { api, unwrap } from "../../api/client.ts"
import { useAction } from "../../ui/useAction.ts"

/** Acknowledging and snoozing alerts of a project; every list and page of alerts is read again. */
export const useAlertActions = (slug: string) => {
  const key = ["alerts", slug]
  return {
    acknowledge: useAction<{ readonly id: string; readonly acknowledged: boolean }>(
      key,
      ({ acknowledged, id }) =>
        unwrap(api.POST("/api/v1/projects/{slug}/notifications/alerts/{alert_id}/acknowledge", {
          params: { path: { slug, alert_id: id } },
          body: { acknowledged }
        }))
    ),
    snooze: useAction<{ readonly id: string; readonly until: string | null }>(
      key,
      ({ id, until }) =>
        unwrap(api.POST("/api/v1/projects/{slug}/notifications/alerts/{alert_id}/snooze", {
          params: { path: { slug, alert_id: id } },
          body: { until }
        }))
    )
  }
}
