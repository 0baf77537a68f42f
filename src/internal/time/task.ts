// Read before a test can replace them.
const { setImmediate, setTimeout } = globalThis

/** Runs in the next task, after what the runtime has received meanwhile. */
export const inNextTask = (run: () => void): unknown => (setImmediate ? setImmediate(run) : setTimeout(run, 0))

export const nextTask = (): Promise<void> => new Promise((resolve) => void inNextTask(resolve))
