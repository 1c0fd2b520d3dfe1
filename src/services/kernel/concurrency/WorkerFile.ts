/**
 * The URL of a worker thread's code. Its source is `<Name>.worker.ts` beside the module that starts it; the name is
 * unique in the program. Use: `new Worker(workerFile("Name", import.meta.url))`.
 *
 * In a build, `<Name>.worker.js` is beside the calling file. Under vitest the calling file is the source itself, which
 * Node cannot load in a thread; the test set-up has put bundles of all workers into one folder (`scripts/build.ts
 * test`).
 */
export const workerFile = (name: string, callerUrl: string): URL =>
  callerUrl.endsWith(".ts")
    ? new URL(`../../../../node_modules/.cache/svc-workers/${name}.worker.js`, import.meta.url)
    : new URL(`./${name}.worker.js`, callerUrl)
