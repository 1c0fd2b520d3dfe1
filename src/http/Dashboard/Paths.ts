/**
 * Paths that respond with the dashboard's page, whose script shows what they name. A page of a project has up to four parts
 * below the project, such as `/projects/shop/tasks/celery/a3f1`.
 */
export const dashboardRoutes = [
  "/",
  "/sign-in",
  "/second-factor",
  "/account",
  "/activity",
  "/users",
  "/system",
  "/inbox",
  "/account/:page",
  "/projects/:slug",
  "/projects/:slug/:page",
  "/projects/:slug/:page/:part",
  "/projects/:slug/:page/:part/:subpart"
] as const
