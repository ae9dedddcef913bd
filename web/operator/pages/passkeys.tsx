import { createPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { ConfirmButton } from '../../pieces/forms/confirm-button.js'
import { Field } from '../../pieces/forms/field.js'
import { Form, type Texts } from '../../pieces/forms/form.js'
import { Page, Section } from '../../pieces/page.js'
import { toast } from '../../pieces/toasts.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { Day } from '../../pieces/when.js'
import { ask, tell } from '../api.js'
import { CodeField } from '../code-field.js'

interface OwnPasskeys {
  readonly passkeys: readonly {
    readonly credentialId: string
    readonly name: string
    readonly createdAt: string
  }[]
}

export function PasskeysPage() {
  const list = useLoad(() => ask<OwnPasskeys>('passkeys'))
  const add = async ({ name, code }: Texts, form: HTMLFormElement) => {
    const options = await tell<object>('passkeys/options', {})
    const response = await createPasskey(options)
    await tell('passkeys', { response, name, code })
    form.reset()
    toast('The passkey is added')
    await list.reload()
  }
  const remove = async (credentialId: string) => {
    await tell('passkeys/remove', { credentialId })
    await list.reload()
  }
  return (
    <Page title="Your passkeys">
      <Section title="Passkeys">
        <p>With a passkey you log in without password and code.</p>
        <Loaded of={list} shape="rows">
          {({ passkeys }) => (
            <ul className="rows">
              {passkeys.length === 0 && <li>None yet.</li>}
              {passkeys.map(({ credentialId, name, createdAt }) => (
                <li key={credentialId}>
                  <div>
                    {name}
                    <br />
                    <small>
                      added on <Day at={createdAt} />
                    </small>
                  </div>
                  <ConfirmButton
                    name="Remove"
                    label={`Remove ${name}`}
                    kind="plain"
                    question={`Remove ${name}?`}
                    confirm="Remove"
                    act={() => remove(credentialId)}
                  />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      {supportsPasskeys() && (
        <Section title="Add one">
          <Form submit="Add a passkey" send={add}>
            <Field
              label="Name"
              name="name"
              hint="Such as the device that it is on."
              maxLength={100}
              required
            />
            <CodeField />
          </Form>
        </Section>
      )}
    </Page>
  )
}
