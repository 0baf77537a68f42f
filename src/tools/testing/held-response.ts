/** Runs work while the clock is stopped. */
type During = <T>(work: () => T | Promise<T>) => Promise<T>

const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']

/**
 * The response itself, whose body is now read while the clock is stopped: by one of its methods, as a stream, or from a clone.
 * A body that nobody reads stops no clock.
 */
export function holdWhileRead<T>(response: T, during: During): T {
  for (const name of READERS) replaceMethod(response, name, (read) => during(read))
  replaceMethod(response, 'clone', (clone) => holdWhileRead(clone(), during))
  const { body } = Object(response)
  // The stream of a `Response`, or that of Node, which some libraries have.
  replaceMethod(body, 'getReader', (open) => held(open(), 'read', during))
  replaceMethod(body, Symbol.asyncIterator, (iterate) => held(iterate(), 'next', during))
  return response
}

function held(source: unknown, name: string, during: During): unknown {
  replaceMethod(source, name, (read) => during(read))
  return source
}

/** Replaces a method of an object that has it and can be changed. */
function replaceMethod(of: unknown, name: string | symbol, call: (original: () => Promise<unknown>) => unknown): void {
  const method = Object(of)[name]
  if (typeof method !== 'function') return
  const value = (...given: unknown[]) => call(() => method.apply(of, given))
  Reflect.defineProperty(Object(of), name, { value, configurable: true, writable: true })
}
