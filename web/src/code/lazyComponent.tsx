import { type ComponentType, type ReactNode, useEffect, useSyncExternalStore } from "react"
import { Code, type CodeState } from "./Code.ts"
import { CodeDialog, CodeNotice } from "./CodeNotice.tsx"

interface LazyComponent<Props> {
  (props: Props): ReactNode
  readonly preload: () => Promise<void>
}

/** The files of all lazy components whose modules are loaded. */
export const lazyFiles: Array<() => Promise<void>> = []

const makeLazy = <Props extends object>(
  importer: () => Promise<ComponentType<Props>>,
  renderNotice: (state: Exclude<CodeState<unknown>["kind"], "loaded">, props: Props) => ReactNode
): LazyComponent<Props> => {
  const code = new Code(importer)
  lazyFiles.push(code.preload)
  const Lazy = (props: Props) => {
    const state = useSyncExternalStore(code.watch, code.getState)
    useEffect(code.load, [])
    return state.kind === "loaded" ? <state.code {...props} /> : renderNotice(state.kind, props)
  }
  return Object.assign(Lazy, { preload: code.preload })
}

/** A component with a file of its own, which is loaded when it mounts, or before that. */
export const lazyComponent = <Props extends object>(importer: () => Promise<ComponentType<Props>>) =>
  makeLazy(importer, (state) => <CodeNotice state={state} />)

/** The same for a page: the router loads it before it shows it. */
export const lazyPage = <Module extends object>(importer: () => Promise<Module>, name: keyof Module) =>
  lazyComponent(async () => (await importer())[name] as ComponentType) // a page's own type depends on that of the routes

/** The same for a dialog. */
export const lazyDialog = <Props extends { readonly onClose: () => void }>(
  importer: () => Promise<ComponentType<Props>>
) => makeLazy(importer, (state, { onClose }) => <CodeDialog state={state} onClose={onClose} />)
