import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../../contract/index.js'
import type { Guides } from './guides.js'
import { outsideCode } from './links.js'
import { REGISTER_PAGE } from './register.js'
import { codeSamples } from './samples.js'

/** The whole reference as plain Markdown, in the form of llms.txt: title, summary, then everything in sections. */
export function emitLlms(contract: Contract, guides: Guides): string {
  const { document, operations, register } = contract
  const prose = guides.groups.flatMap(({ guides }) => guides).filter(({ name }) => name !== REGISTER_PAGE)
  return [
    `# ${document.info.title}`,
    `> ${document.info.summary} Version ${document.info.version} of the contract.`,
    'The same as a document: [openapi.yaml](openapi.yaml), [openapi.json](openapi.json); for simple tools [openapi.plain.json](openapi.plain.json), as OpenAPI 3.0 [openapi-3.0.json](openapi-3.0.json). For people: [index.html](index.html).',
    plain(guides.start.text),
    '# Operations',
    ...operations.map((operation) => operationText(contract, operation)),
    '# Schemas',
    ...Object.entries<Json>(document.components.schemas).map(([name, schema]) => schemaText(name, schema)),
    ...prose.map(({ title, text }) => `# ${title}\n\n${plain(text)}`),
    '# What this contract rests on',
    ...register.map(({ id, kind, text, question, ifWrong }) =>
      [`- ${id} (${kind}): ${text}`, question && `Question: ${question}`, ifWrong && `If wrong: ${ifWrong}`]
        .filter(Boolean)
        .join(' '),
    ),
  ]
    .join('\n\n')
    .replaceAll('\n\n- ', '\n- ')
    .concat('\n')
}

export function operationText(contract: Contract, operation: Operation): string {
  const { id, method, path, node, parameters, requestBody, responses } = operation
  return [
    `## ${id}: ${method} ${path}`,
    `${node.summary}. ${node.description}`,
    ...(node.deprecated ? ['Deprecated.'] : []),
    `Quota: ${node['x-quota']}.${node['x-cache-seconds'] ? ` Keep a 200 for ${node['x-cache-seconds']} seconds.` : ''}`,
    ...parameters.map((each) => fieldText(`${each.in} parameter \`${each.name}\``, each.schema, each)),
    ...(requestBody ? [`- body: ${typeOf(jsonBody(requestBody).schema)}. ${oneLine(requestBody.description)}`] : []),
    ...responses.map(([status, response]) => responseText(contract.document, status, response)),
    ...codeSamples(contract, operation)
      .slice(0, 3)
      .map(({ lang, source }) => `\`\`\`${lang}\n${source}\n\`\`\``),
  ].join('\n\n')
}

function responseText(document: Json, status: string, response: Json): string {
  const body = jsonBody(response)
  const headers = Object.keys(response.headers ?? {})
  const [example] = Object.values<Json>(body?.examples ?? {})
  const facts = [
    ...(body ? [`${typeOf(body.schema)}.`] : []),
    ...(headers.length > 0 ? [`Headers: ${headers.join(', ')}.`] : []),
    ...(response['x-retryable'] ? ['May be sent again.'] : []),
    oneLine(response.description),
  ]
  const shown = example ? `\n  Example: \`${JSON.stringify(resolve(document, example).value)}\`` : ''
  return `- ${status}: ${facts.join(' ')}${shown}`
}

const schemaText = (name: string, schema: Json): string =>
  [
    `## ${name}`,
    schema.description ?? '',
    ...Object.entries<Json>(schema.properties ?? {}).map(([property, each]) =>
      fieldText(`\`${property}\``, each, { ...each, required: schema.required?.includes(property) }),
    ),
  ].join('\n\n')

function fieldText(label: string, schema: Json, { required, deprecated, description }: Json): string {
  const facts = [typeOf(schema), required && 'required', deprecated && 'deprecated'].filter(Boolean)
  return `- ${label} (${facts.join(', ')})${description ? `: ${oneLine(description)}` : ''}`
}

const typeOf = (schema: Json): string =>
  componentOf(schema) ??
  (schema.type === 'array' ? `array of ${typeOf(schema.items)}` : [schema.type ?? 'any'].flat().join(' or '))

const oneLine = (text = ''): string => text.replaceAll(/\s+/g, ' ').trim()

/** Markdown for a reader that follows no link inside of the page: links as their text, figures as their caption. */
const plain = (text: string): string =>
  outsideCode(
    text
      .replaceAll(/<figure[\s\S]*?<figcaption>([\s\S]*?)<\/figcaption><\/figure>/g, '$1')
      .replaceAll(/\[([^\]]+)\]\(#\/[^)]*\)/g, '$1'),
    (prose) => withoutEntities(prose.replaceAll(/<br>|<\/(p|div)>/g, '\n\n').replaceAll(/<\/?[a-z][^>\n]*>/g, '')),
  )

const withoutEntities = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&')
