import pg from "pg"

/** How long an interrupted query keeps its connection. */
const queryTimeoutMillis = 5000

/** Most queries end within this time, so that no connection has to be opened to cancel them. */
const cancelDelayMillis = 100

/** The statement by which @effect/sql-pg cancels the query of an interrupted fiber. */
const cancelStatement = /^SELECT pg_cancel_backend\((\d+)\)$/

/** pg has no public member for this: `readyForQuery` is false after an error too, when the connection is fine. */
const isBusy = (client: pg.PoolClient): boolean => Reflect.get(client, "_activeQuery") !== null

/** Of its backend; missing in pg's types. */
const processIdOf = (client: pg.Client): number => Number(Reflect.get(client, "processID"))

/** Ends a connection whose query did not end in time: its next user would wait for it. The pool drops the connection. */
const endBusy = (_error: Error, client: pg.PoolClient): void => {
  if (isBusy(client)) void client.end()
}

/** Completes when the client's queries have ended, when its connection ends, or after this time. */
const waitForQueries = (client: pg.PoolClient, millis: number): Promise<void> =>
  new Promise((resolve) => {
    if (!isBusy(client)) return resolve()
    const finish = () => {
      clearTimeout(timer)
      client.off("drain", finish)
      client.off("end", finish)
      resolve()
    }
    const timer = setTimeout(finish, millis).unref()
    client.on("drain", finish)
    client.on("end", finish)
  })

type OnConnect = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void
) => void

/**
 * A pool whose connections are free only once their last query has ended.
 *
 * An interrupted fiber returns its connection while the query still runs. Ending the connection would cost a new one for
 * each request that a client aborts. PostgreSQL would also finish the query on the old one, so that aborted requests could
 * open any number of connections.
 *
 * @effect/sql-pg cancels that query through the pool. There the statement may wait until the query has ended and its
 * connection has the next query, which it would cancel. So a connection of its own cancels it, and the cancelled one is
 * free after that.
 */
export class PostgresPool extends pg.Pool {
  /** Connections in use, by the process id of their backend. */
  private readonly inUse = new Map<number, pg.PoolClient>()
  private readonly cancels = new Map<pg.PoolClient, Promise<void>>()

  constructor(config: pg.PoolConfig) {
    super(config)
    this.on("release", endBusy)
    const query = this.query.bind(this) as (...args: ReadonlyArray<unknown>) => unknown
    const queryOrCancel = (text: unknown, ...others: ReadonlyArray<unknown>) => {
      const pid = typeof text === "string" ? cancelStatement.exec(text)?.[1] : undefined
      const [onDone] = others
      if (pid === undefined || typeof onDone !== "function") return query(text, ...others)
      void this.cancelBackend(Number(pid)).then(() => onDone())
    }
    this.query = queryOrCancel as pg.Pool["query"] // it passes every overload on
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: OnConnect): void
  override connect(callback?: OnConnect): Promise<pg.PoolClient> | void {
    if (callback === undefined) return super.connect().then((client) => this.releaseOnceIdle(client))
    super.connect((error, client, release) => {
      if (client === undefined) callback(error, client, release)
      else callback(error, this.releaseOnceIdle(client), (error) => client.release(error))
    })
  }

  private releaseOnceIdle(client: pg.PoolClient): pg.PoolClient {
    const pid = processIdOf(client)
    this.inUse.set(pid, client)
    const release = client.release.bind(client)
    const releaseNow = (error?: Error | boolean) => {
      this.inUse.delete(pid)
      release(error)
    }
    client.release = (error) => {
      const cancel = this.cancels.get(client)
      if (cancel === undefined && (error || !isBusy(client))) return releaseNow(error)
      void Promise.all([cancel, waitForQueries(client, queryTimeoutMillis)]).then(() => releaseNow(error))
    }
    return client
  }

  /** Ends what this connection of the pool runs, if it still does after a moment. */
  cancel(client: pg.Client): Promise<void> {
    return this.cancelBackend(processIdOf(client))
  }

  private cancelBackend(pid: number): Promise<void> {
    const client = this.inUse.get(pid)
    if (client === undefined) return Promise.resolve()
    const cancel = this.cancels.get(client) ??
      this.cancelQuery(client, pid).finally(() => this.cancels.delete(client))
    this.cancels.set(client, cancel)
    return cancel
  }

  private async cancelQuery(client: pg.PoolClient, pid: number): Promise<void> {
    await waitForQueries(client, cancelDelayMillis)
    if (!isBusy(client)) return
    const connection = new pg.Client(this.options)
    connection.on("error", () => {}) // the promises below report it
    try {
      await connection.connect()
      if (isBusy(client)) await connection.query({ text: "SELECT pg_cancel_backend($1)", values: [pid] })
    } catch {
      return // the query runs on, at most until `queryTimeoutMillis` on this connection
    } finally {
      void connection.end()
    }
  }
}
