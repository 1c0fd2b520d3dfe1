import "./theme/tokens.css"
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { ApiError } from "./api/client.ts"
import { LanguageProvider } from "./i18n/Language.tsx"
import { makeRouter } from "./routes.tsx"
import { meQuery } from "./session/session.ts"
import { applyTheme } from "./theme/theme.ts"
import { ToastProvider } from "./ui/Toasts.tsx"

applyTheme()

const maxRetries = 3

const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // the session ended while the page was open
      if (!(error instanceof ApiError) || error.status !== 401) return
      if (router.state.location.pathname === "/sign-in") return
      const to = router.state.location.href
      queries.clear()
      void router.navigate({ to: "/sign-in", search: { to, ended: true } })
    }
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // a refusal stays one; a brain that restarts is back in seconds
      retry: (failures, error) =>
        failures < maxRetries && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)
    }
  }
})

const router = makeRouter(queries)
void queries.prefetchQuery(meQuery)

const root = document.getElementById("root")
if (root === null) throw new Error("index.html has no #root")
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>
)
