import { createRequire } from 'node:module'
import type { ISpectralDiagnostic, Spectral } from '@stoplight/spectral-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { basis, retired } from '../../../generated/contract.js'
import type { Json } from '../../../scripts/contract/index.js'
import { loadContract } from '../../../scripts/contract/load.js'
import { rulesetOf } from '../../../scripts/lint/index.js'
import { VERSION } from '../../support/fixtures.js'
import { repository } from '../../support/project.js'

const require = createRequire(import.meta.url)
let ruleset: Json
let contract: Json

beforeAll(async () => {
  ruleset = await rulesetOf(repository)
  contract = (await loadContract(repository)).document
})

interface Fixture {
  /** Breaks one thing of a document that passes every rule. */
  fails: (document: Json) => unknown
  /** What the message has to say. */
  says: RegExp
  /** The path of the finding. */
  at: string
  /** Something close to it that is allowed. */
  passes?: (document: Json) => unknown
}

/** The schema of a workspace, whose name is assumed whatever the contract knows by now. */
const assumedName = (document: Json): Json => {
  const { Workspace } = document.components.schemas
  Workspace.properties.name['x-basis'] = ['A02']
  return Workspace
}
const unusedEntry = { id: 'S98', kind: 'stated', section: 1, text: 'Nothing.' }
const entries = Object.keys(basis).length + Object.keys(retired).length
const run = (document: Json) => document.components.schemas.Run
const providers = (document: Json) => document.paths['/providers'].get
const fixtures: Record<string, Fixture> = {
  'basis-present': {
    fails: (document) => delete document.components.schemas.Workspace['x-basis'],
    says: /does not say what it rests on\. Add x-basis .+ for example/,
    at: 'components.schemas.Workspace',
    passes: (document) => delete document.components.schemas.ListMeta.properties.total['x-basis'],
  },
  'basis-list': {
    fails: (document) => (run(document)['x-basis'] = 'S06'),
    says: /x-basis must be a list of ids of openapi\/basis\.yaml, for example "x-basis: \[S06\]"\./,
    at: 'components.schemas.Run.x-basis',
    passes: (document) => (run(document)['x-basis'] = ['S06']),
  },
  'basis-used': {
    fails: (document) => document['x-basis-register'].push(unusedEntry),
    says: /No node names "S98"\. Name it .+, name what enforces it in "enforcedBy", or/,
    at: `x-basis-register.${entries}`,
    passes: (document) => document['x-basis-register'].push({ ...unusedEntry, enforcedBy: 'A test.' }),
  },
  'basis-register': {
    fails: (document) => delete document['x-basis-register'].at(-1).ifWrong,
    says: /must have required property "ifWrong"\. An entry has id, kind, section and text/,
    at: `x-basis-register.${entries - 1}`,
    passes: (document) => delete document['x-basis-register'][0].enforcedBy,
  },
  licensed: {
    fails: (document) => (assumedName(document).required = ['name']),
    says: /\(A02\) decides "required", which acts as a requirement\. Take it out, or name a stated entry/,
    at: 'components.schemas.Workspace.required',
    passes: (document) => (document.components.schemas.Run.required = ['id']),
  },
  'status-open': {
    fails: (document) => (run(document).properties.status = { type: 'string', 'x-basis': ['S06'] }),
    says: /A status is a string with known values\. Refer to RunStatus/,
    at: 'components.schemas.RunStatus',
  },
  'open-responses': {
    fails: (document) => (run(document).additionalProperties = false),
    says: /is part of a response and forbids further properties\. Remove "additionalProperties: false"/,
    at: 'components.schemas.Run.additionalProperties',
    passes: (document) => (document.components.schemas.TriggerRunRequest.additionalProperties = false),
  },
  'operation-id': {
    fails: (document) => (providers(document).operationId = 'providers'),
    says: /operationId "providers" must be a verb and a noun in camelCase, for example listPlaybooks/,
    at: 'paths./providers.get.operationId',
    passes: (document) => (providers(document).operationId = 'listConnectedProviders'),
  },
  'operation-summary': {
    fails: (document) => (providers(document).summary = 'List Providers.'),
    says: /sentence case without a full stop, for example "Get a run"/,
    at: 'paths./providers.get.summary',
    passes: (document) => (providers(document).summary = 'List what is connected'),
  },
  'operation-description': {
    fails: (document) => (providers(document).description = 'This endpoint lists providers.'),
    says: /whole sentences .+ no filler such as "This endpoint"/,
    at: 'paths./providers.get.description',
    passes: (document) => (providers(document).description = 'Returns one page (see Paging).'),
  },
  'operation-quota': {
    fails: (document) => delete providers(document)['x-quota'],
    says: /does not say what it counts against\. Add "x-quota: requests".+ counts against neither: .+ "notEnforced"/,
    at: 'paths./providers.get',
  },
  'operation-pin': {
    fails: (document) => providers(document).parameters.shift(),
    says: /cannot be pinned to a release\. Add the parameter/,
    at: 'paths./providers.get.parameters',
    passes: (document) => providers(document).parameters.reverse(),
  },
  'operation-responses': {
    fails: (document) => delete providers(document).responses['429'],
    says: /must have required property "429"\. Refer to the file .+ for example/,
    at: 'paths./providers.get.responses',
  },
  'not-found-response': {
    fails: (document) => delete document.paths['/runs/{id}'].get.responses['404'],
    says: /must have required property "404"\. Add "'404': \{ \$ref: \.\.\/components\/responses\/NotFound\.yaml \}"/,
    at: 'paths./runs/{id}.get.responses',
  },
  'rate-limit-header': {
    fails: (document) => delete document.components.headers.RetryAfter.required,
    says: /needs the header Retry-After with "required: true"/,
    at: 'components.headers.RetryAfter',
  },
  'rate-limit-example': {
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
    says: /A list responds with the list envelope: required "data"/,
    at: 'components.schemas.PlaybookList.required',
  },
  'snake-case': {
    fails: (document) =>
      (run(document).properties.finishedAt = { type: 'string', description: 'When.', 'x-basis': ['S08'] }),
    says: /"finishedAt" is not in snake_case\. Write it in lower case with underscores, for example/,
    at: 'components.schemas.Run.properties.finishedAt',
    passes: (document) =>
      (run(document).properties.finished_at = { type: 'string', description: 'When.', 'x-basis': ['S08'] }),
  },
  'snake-case-parameters': {
    fails: (document) => (document.components.parameters.PerPage.name = 'perPage'),
    says: /is in snake_case\. Write it .+ for example per_page/,
    at: 'components.parameters.PerPage.name',
  },
  'examples-present': {
    fails: (document) => delete document.components.responses.Run.content['application/json'].examples,
    says: /This body has no named example\. Add "examples" with a scenario of x-scenarios/,
    at: 'components.responses.Run.content.application/json',
  },
  'named-examples': {
    fails: (document) => {
      const { examples } = document.components.responses.Run.content['application/json']
      examples.sleeping = examples.default
    },
    says: /The example "sleeping" is not a scenario\. Use one of default, empty/,
    at: 'components.responses.Run.content.application/json.examples.sleeping',
  },
  'scenarios-used': {
    fails: (document) => (document['x-scenarios'].archived = 'A run that was archived.'),
    says: /No example shows the scenario "archived"\. Add one, or remove the scenario\./,
    at: 'x-scenarios.archived',
  },
  'examples-coherent': {
    fails: (document) => (document.components.examples.Run.value.steps[0].capability = 'fax.send'),
    says: /The capability of this example names "fax", which no example of listProviders lists\. Use one of billing, mail, tickets/,
    at: 'components.examples.Run.value.steps.0.capability',
    passes: (document) => (document.components.examples.Run.value.steps[0].capability = 'mail.send'),
  },
  'behaviour-fields': {
    fails: (document) => (document['x-plans'].pro.burst = '120'),
    says: /"burst" property type must be integer\. See docs\/maintaining\.md/,
    at: 'x-plans.pro.burst',
    passes: (document) => (document['x-plans'].pro.burst = 121),
  },
  'transitions-known': {
    fails: (document) => (run(document)['x-transitions'].running.next = ['succeeded', 'failed', 'asleep']),
    says: /"asleep" is in x-transitions and not among the known values of status\. Add it/,
    at: 'components.schemas.Run.x-transitions',
  },
  'patterns-compile': {
    fails: (document) => (document.components.headers.RetryAfter.schema = { type: 'string', pattern: '([' }),
    says: /The pattern does not compile as a regular expression .+ Correct it\./,
    at: 'components.headers.RetryAfter.schema.pattern',
  },
  'schemas-compile': {
    fails: (document) => (document.components.headers.RetryAfter.schema.minimun = 0),
    says: /The schema does not compile: unknown keyword.+minimun.+\. Correct it/,
    at: 'components.headers.RetryAfter.schema',
    passes: (document) =>
      (document.components.schemas.RunInputs.additionalProperties.type = ['string', 'number', 'boolean']),
  },
  'patterns-explained': {
    fails: (document) => delete document.components.schemas.Step.properties.capability['x-pattern-means'],
    says: /Add x-pattern-means, for example "x-pattern-means: a UTC timestamp such as/,
    at: 'components.schemas.Step.properties.capability',
  },
  'version-segment': {
    fails: (document) => document.servers.unshift({ ...document.servers[0], url: 'https://api.example.com/v99' }),
    says: /"https:\/\/workflow-automation\.example\/v\d+" does not end with \/v99, like the others\. Give each major version/,
    at: 'servers.1.url',
    passes: (document) => document.servers.push({ ...document.servers[0], url: `https://eu.example.com${VERSION}` }),
  },
  'no-ref-siblings': {
    fails: (document) => (run(document).properties.steps.items['x-basis'] = ['S09']),
    says: /Tools disagree on what stands beside a \$ref.+Move it into the component/,
    at: 'components.schemas.Step',
  },
}

async function lint(rules: object, change?: (document: Json) => unknown): Promise<ISpectralDiagnostic[]> {
  const spectral: Spectral = new (require('@stoplight/spectral-core').Spectral)()
  spectral.setRuleset({ ...ruleset, ...rules })
  const document = structuredClone(contract)
  change?.(document)
  return spectral.run(document)
}

it('the contract passes every rule', async () => {
  expect(await lint({})).toEqual([])
})

it('every rule of the project has a fixture', () => {
  const ownRules = Object.keys(ruleset.rules).filter((name) => ruleset.rules[name].then)
  expect(Object.keys(fixtures).sort()).toEqual(ownRules.sort())
})

it.each<[what: string, change: (document: Json) => unknown, at: string]>([
  [
    'a default of what is assumed',
    ({ components }) => (components.parameters.Page.schema.default = 1),
    'components.parameters.Page.schema.default',
  ],
  [
    'a bound that no stated entry has, of what is stated',
    ({ components }) => (components.schemas.ListMeta.properties.total.minimum = 0),
    'components.schemas.ListMeta.properties.total.minimum',
  ],
  [
    'a length that no stated entry has, of what is stated',
    ({ components }) => (components.schemas.Run.properties.id.minLength = 1),
    'components.schemas.Run.properties.id.minLength',
  ],
  [
    'a pattern of what is assumed',
    ({ components }) => (components.schemas.TriggeredRun.properties.started_at.pattern = '^2'),
    'components.schemas.TriggeredRun.properties.started_at.pattern',
  ],
  [
    'a constant of what is assumed',
    ({ components }) => (components.schemas.Workspace.properties.name.const = 'Acme'),
    'components.schemas.Workspace.properties.name.const',
  ],
  [
    'a body that forbids other properties',
    ({ components }) => (components.schemas.TriggerRunRequest.additionalProperties = false),
    'components.schemas.TriggerRunRequest.additionalProperties',
  ],
  [
    'a required property of a derived entry',
    ({ components }) => {
      components.schemas.Provider.required = ['id']
      components.schemas.Provider.properties.id['x-basis'] = ['D03']
    },
    // Its type is no longer that of something optional.
    'components.schemas.Provider.required components.schemas.Provider.properties.id.type',
  ],
  [
    'a required parameter',
    ({ components }) => (components.parameters.Page.required = true),
    'components.parameters.Page.required components.parameters.Page.schema.type',
  ],
  [
    'a success that 2XX is not beside',
    (document) => delete providers(document).responses['2XX'],
    'components.responses.ProviderList200',
  ],
  [
    'a success with another schema than 2XX',
    ({ components }) =>
      (components.responses.ProviderList.content['application/json'].schema = { 'x-basis': ['S20'], type: 'object' }),
    'components.responses.ProviderList200',
  ],
  [
    'a status that no entry has',
    ({ components }) => (components.responses.NotFound['x-basis'] = ['A17', 'A29']),
    'components.responses.NotFound',
  ],
  [
    'a media type that no entry has',
    ({ components }) => (components.responses.Run['x-basis'] = ['S19', 'D03']),
    'components.responses.Run.content.application/json',
  ],
  [
    'a link that no entry has',
    ({ components }) => delete components.responses.TriggeredRun201.links.getRun['x-basis'],
    'components.responses.TriggeredRun201.links.getRun',
  ],
])('licensed reports %s', async (_, change, at) => {
  const found = await lint({ extends: [], rules: { licensed: ruleset.rules.licensed } }, change)
  expect(new Set(found.map(({ path }) => homeOf(path)))).toEqual(new Set(at.split(' ')))
})

describe.each(Object.entries(fixtures))('%s', (rule, { fails, says, at, passes }) => {
  /** Spectral with this rule alone: with all of them the file takes five times as long. */
  const lintWithRule = (change: (document: Json) => unknown) =>
    lint({ extends: [], rules: { [rule]: ruleset.rules[rule] } }, change)

  it(`${rule} reports the mistake with its location and its remedy`, async () => {
    const found = await lintWithRule(fails)
    expect(found.map(({ path }) => homeOf(path))).toContain(at)
    expect(found.find(({ path }) => homeOf(path) === at)?.message).toMatch(says)
  })

  if (passes)
    it(`${rule} accepts a correct contract`, async () => {
      expect(await lintWithRule(passes)).toEqual([])
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
