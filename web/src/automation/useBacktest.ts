import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { automationKey } from "./queries.ts"
import type { RuleBody } from "./rule.ts"

export type BacktestResult = Schemas["RuleBacktest"]

/** A person types on within it; a user has 60 backtests a minute. */
const pauseMillis = 800

/** The value once it has not changed for a while. */
const usePaused = (value: string | null): string | null => {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMillis)
    return () => clearTimeout(timer)
  }, [value])
  return paused
}

/**
 * What the rule would have done. It is asked again when the rule has changed and the person pauses. `null`: the rule is
 * not complete, or the person may not ask.
 */
export const useBacktest = (slug: string, rule: RuleBody | null, days: number) => {
  const hasHistory = rule !== null && rule.trigger !== "worker.offline"
  // a rule is tried before it has its name
  const ruleJson = usePaused(hasHistory ? JSON.stringify({ ...rule, name: rule.name === "" ? "?" : rule.name }) : null)
  return useQuery({
    queryKey: [...automationKey(slug), "backtest", days, ruleJson],
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/projects/{slug}/automation/rules:backtest", {
          params: { path: { slug } },
          body: { rule: JSON.parse(ruleJson ?? "") as RuleBody, days } // the text that was made of one above
        })
      ),
    enabled: ruleJson !== null,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    retry: false
  })
}
