import { Outlet, useParams } from "@tanstack/react-router"
import { Loading } from "../ui/Notices.tsx"
import { NoProject } from "./NotFound.tsx"
import { useProject } from "./useProject.ts"

/** The pages of a project; of one that does not exist none, since each of their reads would fail. */
export const ProjectPages = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug" })
  const { state } = useProject(slug)
  if (state === "missing") return <NoProject />
  return state === "checking" ? <Loading /> : <Outlet />
}
