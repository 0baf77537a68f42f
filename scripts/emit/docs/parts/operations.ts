import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../../../contract/index.js'
import { codeSamples } from './samples.js'

/** The operations and the schemas as the text of a page. */
export const operationsText = (contract: Contract): string =>
  [
    ...contract.operations.map((operation) => operationText(contract, operation)),
    '## Schemas',
    ...Object.entries<Json>(contract.document.components.schemas).map(([name, schema]) => schemaText(name, schema)),
  ]
    .join('\n\n')
    .replaceAll('\n\n- ', '\n- ')

function operationText(contract: Contract, operation: Operation): string {
  const { id, method, path, node, parameters, requestBody, responses } = operation
  return [
    `## ${id}`,
    `\`${method} ${path}\``,
    `${node.summary}. ${node.description}`,
    ...(node.deprecated ? ['Deprecated.'] : []),
    `Quota: ${node['x-quota']}.${node['x-cache-seconds'] ? ` Keep a 200 for ${node['x-cache-seconds']} seconds.` : ''}`,
    ...parameters.map((each) => fieldText(`${each.in} parameter \`${each.name}\``, each.schema, each)),
    ...(requestBody ? [`- body: ${typeText(jsonBody(requestBody).schema)}. ${oneLine(requestBody.description)}`] : []),
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
    ...(body ? [`${typeText(body.schema)}.`] : []),
    ...(headers.length > 0 ? [`Headers: ${headers.join(', ')}.`] : []),
    ...(response['x-retryable'] ? ['May be sent again.'] : []),
    oneLine(response.description),
  ]
  const shown = example ? `\n  Example: \`${JSON.stringify(resolve(document, example).value)}\`` : ''
  return `- ${status}: ${facts.join(' ')}${shown}`
}

const schemaText = (name: string, schema: Json): string =>
  [
    `### ${name}`,
    schema.description ?? '',
    ...Object.entries<Json>(schema.properties ?? {}).map(([property, each]) =>
      fieldText(`\`${property}\``, each, { ...each, required: schema.required?.includes(property) }),
    ),
  ].join('\n\n')

function fieldText(label: string, schema: Json, { required, deprecated, description }: Json): string {
  const facts = [typeText(schema), required && 'required', deprecated && 'deprecated'].filter(Boolean)
  return `- ${label} (${facts.join(', ')})${description ? `: ${oneLine(description)}` : ''}`
}

const typeText = (schema: Json): string =>
  componentOf(schema) ??
  (schema.type === 'array' ? `array of ${typeText(schema.items)}` : [schema.type ?? 'any'].flat().join(' or '))

const oneLine = (text = ''): string => text.replaceAll(/\s+/g, ' ').trim()
