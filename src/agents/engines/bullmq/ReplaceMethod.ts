/**
 * Puts a method into the place of one object's own, where BullMQ has no event for what it does; answers what undoes
 * it. Where somebody else has replaced it meanwhile, who then calls this one, it is left.
 */
export const replaceMethod = <O extends object, K extends keyof O>(object: O, name: K, method: O[K]): () => void => {
  const before = Object.getOwnPropertyDescriptor(object, name)
  object[name] = method
  return () => {
    if (object[name] !== method) return
    if (before === undefined) Reflect.deleteProperty(object, name)
    else Object.defineProperty(object, name, before)
  }
}
