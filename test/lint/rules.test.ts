import { createRequire } from 'node:module'
import type { ISpectralDiagnostic, Spectral } from '@stoplight/spectral-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, loadContract } from '../../scripts/contract/index.js'
import { rulesetOf } from '../../scripts/lint/ruleset.js'
import { repository } from '../support/project.js'

let spectral: Spectral
let contract: Json
let ownRules: string[]

beforeAll(async () => {
  const require = createRequire(import.meta.url)
  const ruleset = await rulesetOf(repository)
  ownRules = Object.keys(ruleset.rules).filter((name) => ruleset.rules[name].then)
  spectral = new (require('@stoplight/spectral-core').Spectral)()
  spectral.setRuleset(ruleset)
  contract = (await loadContract(repository)).document
})

interface Fixture {
  /** Breaks one thing of a document that keeps to every rule. */
  fails: (document: Json) => unknown
  /** What the message has to say. */
  says: RegExp
  /** Where the finding has to be. */
  at: string
  /** Something close to it that is allowed. */
  passes?: (document: Json) => unknown
}

const run = (document: Json) => document.components.schemas.Run
const fixtures: Record<string, Fixture> = {
  'basis-present': {
    fails: (document) => delete document.components.schemas.Workspace['x-basis'],
    says: /The schema ".*Workspace.*" does not say what it rests on\. Add x-basis .+ for example/,
    at: 'components.schemas.Workspace',
    passes: (document) => delete document.components.schemas.ListMeta.properties.total['x-basis'],
  },
  'basis-known': {
    fails: (document) => run(document)['x-basis'].push('S99'),
    says: /"S99" is no entry of openapi\/basis\.yaml\. Name an id that is there, or add the entry\./,
    at: 'components.schemas.Run.x-basis.1',
  },
  'basis-used': {
    fails: (document) => document['x-basis-register'].push({ id: 'S98', kind: 'stated', section: 1, text: 'Nothing.' }),
    says: /No node rests on "S98"\. Name it .+ or say in "enforcedBy"/,
    at: 'x-basis-register.85',
    passes: (document) =>
      document['x-basis-register'].push({
        id: 'S98',
        kind: 'stated',
        section: 1,
        text: 'Nothing.',
        enforcedBy: 'A test.',
      }),
  },
  'basis-register': {
    fails: (document) => delete document['x-basis-register'].at(-1).ifWrong,
    says: /The entry "A34" has no "ifWrong"\. Write one\./,
    at: 'x-basis-register.84',
  },
  'assumed-optional': {
    fails: (document) => (document.components.schemas.Workspace.required = ['name']),
    says: /The property "name" is required, though it is only assumed \(A01\)\. Take it out of "required"/,
    at: 'components.schemas.Workspace.properties.name',
    passes: (document) => (document.components.schemas.Playbook.required = ['id']),
  },
  'open-enumerations': {
    fails: (document) => (document.components.schemas.Workspace.properties.name.enum = ['Acme']),
    says: /The values of "name" are not stated to be complete\. Write them as x-known-values/,
    at: 'components.schemas.Workspace.properties.name.enum',
    passes: (document) => (document.components.schemas.RateLimitBody.properties.error.enum = ['rate_limit_exceeded']),
  },
  'open-answers': {
    fails: (document) => (run(document).additionalProperties = false),
    says: /is part of an answer and forbids further properties\. Remove "additionalProperties: false"/,
    at: 'components.schemas.Run',
    passes: (document) => (document.components.schemas.TriggerRunRequest.additionalProperties = false),
  },
  'operation-complete': {
    fails: (document) => delete document.paths['/providers'].get['x-quota'],
    says: /listProviders does not say what it counts against\. Add "x-quota: requests"/,
    at: 'paths./providers.get',
    passes: (document) => (document.paths['/providers'].get.summary = 'List what is connected'),
  },
  'operation-responses': {
    fails: (document) => delete document.paths['/runs/{id}'].get.responses['404'],
    says: /getRun has no answer 404\. Add "'404': \{ \$ref: \.\.\/components\/responses\/NotFound\.yaml \}"/,
    at: 'paths./runs/{id}.get.responses',
  },
  'rate-limit-response': {
    fails: (document) => (document.components.headers.RetryAfter.example = 18),
    says: /has retry_after 17, and the example of Retry-After is 18\. Give both the same value\./,
    at: 'components.examples.ErrorRateLimited',
    passes: (document) => {
      document.components.headers.RetryAfter.example = 18
      document.components.examples.ErrorRateLimited.value.retry_after = 18
    },
  },
  'list-envelope': {
    fails: (document) => (document.components.schemas.PlaybookList.required = ['data']),
    says: /listPlaybooks must answer the list envelope: required "data"/,
    at: 'components.schemas.PlaybookList',
  },
  'snake-case': {
    fails: (document) =>
      (run(document).properties.finishedAt = { type: 'string', description: 'When.', 'x-basis': ['S08'] }),
    says: /The property "finishedAt" is not in snake_case\. Write "finished_at"\./,
    at: 'components.schemas.Run.properties.finishedAt',
    passes: (document) =>
      (run(document).properties.finished_at = { type: 'string', description: 'When.', 'x-basis': ['S08'] }),
  },
  'named-examples': {
    fails: (document) => {
      const { examples } = document.components.responses.Run.content['application/json']
      examples.sleeping = examples.default
    },
    says: /The example "sleeping" is no scenario\. Use one of default, empty/,
    at: 'components.responses.Run.content.application/json.examples.sleeping',
  },
  'examples-coherent': {
    fails: (document) => (document.components.examples.Run.value.steps[0].capability = 'fax.send'),
    says: /The capability of this example names "fax", which no example of listProviders lists\. Use one of billing, mail, tickets/,
    at: 'components.examples.Run.value.steps.0.capability',
    passes: (document) => (document.components.examples.Run.value.steps[0].capability = 'mail.send'),
  },
  'behaviour-fields': {
    fails: (document) => (document['x-plans'].pro.burst = '120'),
    says: /x-plans is not of its form: x-plans\/pro\/burst must be integer\. See CONTRIBUTING\.md/,
    at: 'x-plans',
    passes: (document) => (document['x-plans'].pro.burst = 121),
  },
  'schemas-compile': {
    fails: (document) => (document.components.headers.RetryAfter.schema = { type: 'string', pattern: '([' }),
    says: /The pattern does not compile: Invalid regular expression.+\. Correct it/,
    at: 'components.headers.RetryAfter.schema.pattern',
  },
  'no-ref-siblings': {
    fails: (document) => (run(document).properties.steps.items['x-basis'] = ['S09']),
    says: /"x-basis" beside a \$ref is dropped by some tools\. Move it into the component/,
    at: 'components.schemas.Step',
  },
}

const lint = async (change?: (document: Json) => unknown): Promise<ISpectralDiagnostic[]> => {
  const document = structuredClone(contract)
  change?.(document)
  return spectral.run(document)
}

it('the contract keeps to every rule', async () => {
  expect(await lint()).toEqual([])
})

it('every rule of ours has a fixture', () => {
  expect(Object.keys(fixtures).sort()).toEqual(ownRules.sort())
})

describe.each(Object.entries(fixtures))('%s', (rule, { fails, says, at, passes }) => {
  it('finds the mistake, where it is, and says what to write', async () => {
    const found = (await lint(fails)).filter(({ code }) => code === rule)
    expect(found.map(({ path }) => homeOf(path))).toContain(at)
    expect(found.find(({ path }) => homeOf(path) === at)?.message).toMatch(says)
  })

  if (passes)
    it('allows what is right', async () => {
      expect((await lint(passes)).filter(({ code }) => code === rule)).toEqual([])
    })
})

/** The path of a node, through the references on the way to the component that it stands in. */
function homeOf(path: (string | number)[]): string {
  let home: (string | number)[] = []
  for (const part of path) {
    home.push(part)
    const reference = home.reduce((node: Json, key) => node?.[key], contract)?.$ref
    if (reference) home = reference.split('/').slice(1)
  }
  return home.join('.')
}
