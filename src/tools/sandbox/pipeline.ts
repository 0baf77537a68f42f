import { type OperationId, operations, protocol } from '../../../generated/contract.js'
import { anySignal, untilAborted } from '../../internal/time/abort.js'
import { createPipeline, type PipelineHandlers } from '../service/pipeline.js'
import { invalidKey } from '../service/request/authorization.js'
import type { ServiceRequest } from '../service/request/index.js'
import type { ServiceResponse } from '../service/response/respond.js'
import type { MaybePromise } from '../service/types.js'
import { clientRules } from './clients/plugin.js'
import type { EngineParts, KnownRequest, SandboxResponse } from './engine.js'
import { faults } from './faults/apply.js'
import { log } from './log/plugin.js'
import { preferredResponse } from './prefer.js'
import { exampleOf, sandboxOperations } from './runs/operations.js'
import { checkAccess, type SandboxWorkspace } from './world/workspaces.js'

/**
 * Responds to requests as the service kit, with handlers on the runs of the sandbox. Rejects when a reset ends a request, and
 * when a custom handler fails.
 */
export function createRespond(engine: EngineParts): (request: ServiceRequest) => Promise<SandboxResponse> {
  const { open, respond } = createPipeline<SandboxWorkspace, KnownRequest, SandboxResponse>(
    handlersOf(engine),
    {
      // A client with another base URL would fail at the service.
      basePath: protocol.versionSegment,
      authenticate: (_, __, operation, { key }) =>
        key ? (checkAccess(key, operation) ?? { context: key.workspace }) : invalidKey,
      limit({ limit }, _, operation, { resetSignal }) {
        resetSignal.throwIfAborted()
        return engine.limits.take(limit, operations[operation].quota)
      },
      onInvalidResponse(error) {
        throw error
      },
    },
    // The first is outermost. The last makes of every response one of the sandbox.
    [log(engine), clientRules(engine), faults(engine)],
  )
  return (request) => respond(open(request))
}

/** For each operation: what a `Prefer` header asks for, the custom handler, that of the sandbox, or an example. */
function handlersOf({ runs, settings, workspaces }: EngineParts): PipelineHandlers<SandboxWorkspace, KnownRequest> {
  type Custom = (request: unknown) => MaybePromise<ServiceResponse | Response>
  const custom = (settings.handlers ?? {}) as Partial<Record<OperationId, Custom>>
  const stateful = sandboxOperations(runs) as Partial<Record<OperationId, (request: unknown) => ServiceResponse>>
  const ids = Object.keys(operations) as OperationId[]
  const handlers: PipelineHandlers<SandboxWorkspace, KnownRequest> = {}
  for (const operation of ids)
    handlers[operation] = (request, { request: sent }, { resetSignal }) => {
      resetSignal.throwIfAborted()
      const prefer = sent.header('prefer')
      const preferred = prefer === null ? undefined : preferredResponse(operation, prefer)
      if (preferred) return preferred
      if (custom[operation]) {
        // Called on its object, which may be of a class. A reset, or a client that leaves, ends the wait for it.
        const { signal, release } = anySignal(resetSignal, sent.signal())
        return untilAborted(signal, async () => custom[operation]!(request)).finally(release)
      }
      const handle = operation in custom ? undefined : stateful[operation]
      const { status, headers, body } = handle?.(request) ?? exampleOf(request, runs, request.context === workspaces[0])
      return { status, headers, body, isPlain: true }
    }
  return handlers
}
