import { PASSWORD } from '../seed.mjs'

/** Does `work` while one user logs in again and again, one login at a time. */
export async function whileLoggingIn({ port }, { email }, work) {
  let isOver = false
  const logins = (async () => {
    while (!isOver) await logIn(port, email)
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await logins
  }
}

async function logIn(port, email) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD, source: 'satellite' }),
  })
  if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}
