const key = "svc.lastProject"

export const rememberProject = (slug: string): void => sessionStorage.setItem(key, slug)

/** The project that the tab showed last, of these; else the first. Pages of the person begin with it. */
export const lastProjectOf = <A>(projects: ReadonlyArray<A>, slugOf: (project: A) => string): A | undefined => {
  const last = sessionStorage.getItem(key)
  return projects.find((project) => slugOf(project) === last) ?? projects[0]
}
