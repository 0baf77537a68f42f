import { ControlError } from '../control/commands.js'
import { BodyRefusedError, type PortRequest } from './exchange.js'

/** The most bytes that the bodies of all commands together have in memory; a snapshot has all runs with their inputs. */
const MAX_BODIES = 2 ** 27

/** Bodies of commands, of which only so many are in memory at once. */
export function createControlBodies() {
  let used = 0
  return {
    /**
     * Runs a command, which may read the body of its request.
     *
     * @throws ControlError with 503 when the bodies of other commands leave no space for it
     */
    async run<T>(request: PortRequest, command: (readBody: () => Promise<string>) => Promise<T>): Promise<T> {
      let own = 0
      const keep = (bytes: number) => {
        const fits = used + bytes <= MAX_BODIES
        if (!fits) release()
        else {
          used += bytes
          own += bytes
        }
        return fits
      }
      const release = () => {
        used -= own
        own = 0
      }
      const readBody = () =>
        request.text(MAX_BODIES, keep).catch((error) => {
          throw error instanceof BodyRefusedError ? new ControlError(503, NO_SPACE) : error
        })
      try {
        return await command(readBody)
      } finally {
        release()
      }
    },
  }
}

const NO_SPACE = `The bodies of other commands take all of the ${MAX_BODIES / 2 ** 20} MiB for them. Send this one again later.`
