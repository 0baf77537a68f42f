import { PermissionError } from '@workflow-automation/contract'
import { connection } from 'next/server'
import { getClient } from './client.js'

export default async function Page() {
  // Rendered for each visitor, not once by the build.
  await connection()
  return (
    <main>
      <h1>Playbooks</h1>
      {await listOfPlaybooks()}
    </main>
  )
}

async function listOfPlaybooks() {
  try {
    const { data } = await getClient().listPlaybooks()
    return (
      <ul>
        {data.map(({ id, name }, index) => (
          <li key={id ?? index}>{name ?? id ?? 'No name'}</li>
        ))}
      </ul>
    )
  } catch (error) {
    console.error(error)
    const text = error instanceof PermissionError ? 'The key has no access.' : 'Try again later.'
    return <p role="alert">{text}</p>
  }
}
