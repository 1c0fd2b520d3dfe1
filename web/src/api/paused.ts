const storageKey = "svc.paused"

let isSet = localStorage.getItem(storageKey) === "yes"

/** Whether the person has stopped all reads of every page. */
export const isPaused = (): boolean => isSet

export const storePaused = (isPaused: boolean) => {
  isSet = isPaused
  localStorage.setItem(storageKey, isPaused ? "yes" : "no")
}
