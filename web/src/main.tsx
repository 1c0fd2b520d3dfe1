import "./theme/tokens.css"
import { type Query, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { api, ApiError, csrfToken, enrolment, signIn, stream, unwrap } from "./api/client.ts"
import { connection } from "./api/connection.ts"
import { isPaused } from "./api/paused.ts"
import { LanguageProvider } from "./i18n/Language.tsx"
import { createDashboardRouter } from "./routes.tsx"
import { meQuery } from "./session/session.ts"
import { StepUpProvider } from "./session/StepUp.tsx"
import { projectsQuery } from "./shell/projects.ts"
import { applyTheme } from "./theme/theme.ts"
import { ToastProvider } from "./ui/Toasts.tsx"

applyTheme()

const maxRetries = 3

const isNotPaused = () => !isPaused()

const queries = new QueryClient({
  defaultOptions: {
    // what is done without a network fails at once: it would otherwise be sent when the network is back, unseen
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always", // a server on this machine is reached without a network
      staleTime: 5_000,
      refetchOnWindowFocus: isNotPaused,
      refetchOnReconnect: isNotPaused,
      // a refusal stays one; a brain that restarts is back in seconds
      retry: (failures, error) =>
        failures < maxRetries && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)
    }
  }
})

// what no response came to is read again as soon as the server answers
connection.watch(() => {
  if (connection.isLost() || !isNotPaused()) return
  const predicate = ({ state: { error } }: Query) => error instanceof ApiError && error.status === 0
  void queries.refetchQueries({ type: "active", predicate })
})

const router = createDashboardRouter(queries)

/** What each page needs, at once: a route asks for its page's code only when it knows who is signed in. */
const preload = () => {
  void queries.prefetchQuery(meQuery)
  if (csrfToken() !== undefined) void queries.prefetchQuery(projectsQuery)
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname)
  for (const { options: { component } } of routes) void component?.preload?.()
}
preload()

enrolment.onRequired = () => {
  const { href, pathname } = router.state.location
  if (pathname !== "/second-factor") void router.navigate({ to: "/second-factor", search: { to: href } })
}
signIn.onRequired = ({ code }) => {
  const { href: to, pathname } = router.state.location
  if (pathname === "/sign-in") return
  queries.clear()
  void router.navigate({ to: "/sign-in", search: code === "mfa_required" ? { to, factor: true } : { to, ended: true } })
}
stream.onRefused = () => {
  // asks with an error of its own, unlike meQuery, for which a missing session is a result
  void queries.fetchQuery({ queryKey: ["session"], queryFn: () => unwrap(api.GET("/api/v1/auth/me")), staleTime: 0 })
    .catch(() => {}) // signIn.onRequired has handled it
}

const root = document.getElementById("root")
if (root === null) throw new Error("index.html has no #root")
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <ToastProvider>
          <StepUpProvider>
            <RouterProvider router={router} />
          </StepUpProvider>
        </ToastProvider>
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>
)
