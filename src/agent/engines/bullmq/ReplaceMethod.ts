/**
 * Replaces a method of one object, where BullMQ has no event for its work. Returns a function that restores it. The
 * method stays where other code has replaced it since: that code calls this one.
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
