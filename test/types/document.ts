import spec from '@workflow-automation/contract/openapi.json' with { type: 'json' }

export const version: string = spec.openapi
export const title: string = spec.info.title
