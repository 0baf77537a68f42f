import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { build } from '../../scripts/build.js'
import { BuildError } from '../../scripts/diagnostics.js'
import { untouchedProject } from './untouched.js'

const project = untouchedProject()

const fails = async (...messages: RegExp[]) => {
  const failure = await build({ root: project().root, output: { write: () => true } }).catch((error) => error)
  expect(failure).toBeInstanceOf(BuildError)
  for (const message of messages) expect(failure.message).toMatch(message)
}

describe('a build of a faulty contract', () => {
  it('the build reports the location of a file that is not YAML', async () => {
    project().edit('openapi/components/schemas/Run.yaml', 'properties:', 'properties: [')
    await fails(/^openapi\/components\/schemas\/Run\.yaml:\d+:\d+ {2}yaml {2}This is not YAML: .+\. Correct it\.$/m)
  })

  it('the build reports the location of an unresolved reference', async () => {
    project().edit('openapi/components/schemas/Run.yaml', '$ref: RunStatus.yaml', '$ref: RunState.yaml')
    await fails(
      /^openapi\/components\/schemas\/Run\.yaml:21:11 {2}reference {2}"RunState\.yaml" leads to openapi\/components\/schemas\/RunState\.yaml, which is not there\. Correct the path or add the file\.$/m,
    )
  })

  it('the build reports an empty file', async () => {
    project().write('openapi/components/schemas/Step.yaml', '# Nothing yet.\n')
    await fails(
      /^openapi\/components\/schemas\/Step\.yaml:1:1 {2}empty {2}The file is empty\. Write the component, or delete the file/m,
    )
  })

  it('the build reports the location of a request body that is not JSON', async () => {
    project().edit('openapi/components/requestBodies/TriggerRunRequest.yaml', 'application/json', 'text/csv')
    await fails(
      /^openapi\/components\/requestBodies\/TriggerRunRequest\.yaml:\d+:\d+ {2}json-bodies {2}.+ Write the body as JSON\.$/m,
    )
  })

  it('the build names all examples that still have a property that was renamed in its schema', async () => {
    project().edit('openapi/components/schemas/Playbook.yaml', '\n  description:\n', '\n  summary:\n')
    await fails(
      /half-done {2}Playbook has no property "description", which its examples have\. Edit them too: openapi\/components\/examples\/PlaybookList\.yaml, openapi\/components\/examples\/PlaybookListLastPage\.yaml; or/,
    )
  })

  it('the build reports a file that no reference uses', async () => {
    project().write('openapi/components/schemas/Forgotten.yaml', 'type: string\n')
    await fails(/^openapi\/components\/schemas\/Forgotten\.yaml {2}unused {2}.+Refer to it or delete it\.$/m)
  })

  it('the build reports a node without basis, a duplicate operationId, an example that contradicts its schema and a pattern that does not compile', async () => {
    project().edit('openapi/paths/providers.yaml', /^ {2}x-basis: .*\n/m, '')
    project().edit('openapi/paths/runs_id.yaml', 'operationId: getRun', 'operationId: listPlaybooks')
    project().edit('openapi/components/examples/RunFailed.yaml', 'status: failed', 'status: 7')
    project().edit('openapi/components/headers/RetryAfter.yaml', 'minimum: 0', "minimum: 0\n  pattern: '(['")
    await fails(
      /^openapi\/paths\/providers\.yaml:2:3 {2}basis-present {2}#\/paths\/~1providers\/get does not say what it rests on\. Add x-basis/m,
      /^openapi\/paths\/\S+:\d+:\d+ {2}operation-operationId-unique {2}/m,
      /^openapi\/components\/examples\/RunFailed\.yaml:\d+:\d+ {2}oas3-valid-media-example {2}"status" property type must be string$/m,
      /^openapi\/components\/headers\/RetryAfter\.yaml:\d+:\d+ {2}patterns-compile {2}The pattern does not compile as .+\. Correct it/m,
    )
  })

  it('the build reports a file that cannot be read', async () => {
    // A link to itself cannot be read by anybody, root included.
    symlinkSync('Loop.yaml', join(project().root, 'openapi/components/schemas/Loop.yaml'))
    await fails(/^openapi\/components\/schemas\/Loop\.yaml {2}read {2}The file cannot be read: ELOOP.+readable\.$/m)
  })
})
