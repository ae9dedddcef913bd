import '@mainstay-auth/react/styles.css'
import { Session } from './session'

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <Session>{children}</Session>
      </body>
    </html>
  )
}
