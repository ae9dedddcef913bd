import { EmailField, PasswordField } from '../../pieces/field.js'
import { Form } from '../../pieces/form.js'
import { Hint } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { client } from '../client.js'

const MESSAGES = {
  INVALID_CREDENTIALS:
    'The e-mail address or the password is wrong. If you were invited to one of our other sites only, log in there.',
}

/** Stands in the place of a page that needs a login; who logs in goes on there. */
export function LoginPage({ hasEnded = false }: { readonly hasEnded?: boolean }) {
  return (
    <SmallPage title="Log in">
      {hasEnded && <Hint>You have been logged out.</Hint>}
      <Form
        submit="Log in"
        messages={MESSAGES}
        send={({ email = '', password = '' }) => client.login({ email, password })}
      >
        <EmailField />
        <PasswordField />
      </Form>
      <p className="links">
        <Link href="/forgot-password">Forgot your password?</Link>
        <Link href="/signup">Make an account</Link>
      </p>
    </SmallPage>
  )
}
