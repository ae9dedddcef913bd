import type { Client } from '@mainstay-auth/client'

let leaving = false

/** Logs out because the person said so: nothing of what they did stays in the page. */
export function leave(client: Client): Promise<void> {
  leaving = true
  const forget = client.onChange(({ status }) => {
    if (status !== 'loggedIn') return
    leaving = false
    forget()
  })
  return client.logout()
}

/** Whether the one who was logged in last has left by themselves. */
export function isLeaving(): boolean {
  return leaving
}
