/** Calls a hook. One that throws must not fail the request, nor its rejection the process: both are logged. */
export function notify(name: string, hook: () => unknown): void {
  const failed = (failure: unknown) => console.error(`${name} failed:`, failure)
  try {
    Promise.resolve(hook()).catch(failed)
  } catch (failure) {
    failed(failure)
  }
}
