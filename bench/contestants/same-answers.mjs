/** What is compared must do the same: each accepts the other's access token and says the same of it. Throws otherwise. */
export async function requireSameAnswers(service, bare, { sessionId }) {
  const answers = []
  for (const issuer of [service, bare]) {
    const { accessToken } = await ask(issuer, 'POST', '/api/refresh', { 'X-Session-ID': sessionId })
    for (const reader of [service, bare])
      answers.push(await ask(reader, 'GET', '/api/data', { Authorization: `Bearer ${accessToken}` }))
  }
  const texts = new Set(answers.map(answer => JSON.stringify(answer)))
  if (texts.size !== 1) throw new Error(`The service and the bare handler differ: ${[...texts].join(' ')}`)
}

async function ask({ name, port }, method, path, headers) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })
  if (answer.status !== 200) throw new Error(`${path} on ${name}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
