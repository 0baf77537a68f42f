/** The hooks whose error was reported. */
const reported = new WeakSet<object>()

/**
 * Calls a hook that only observes. What it throws or rejects with fails nothing: it is reported as a warning, once for each
 * hook, because a hook that fails for one request fails for thousands.
 */
export function notify<Values extends unknown[]>(
  name: string,
  hook: ((...values: Values) => unknown) | undefined,
  ...values: Values
): void {
  if (!hook) return
  const warn = (error: unknown) => {
    if (!reported.has(hook)) console.warn(`${name} failed (reported once):`, error)
    reported.add(hook)
  }
  try {
    Promise.resolve(hook(...values)).catch(warn)
  } catch (error) {
    warn(error)
  }
}
