import { createPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { ConfirmButton } from '../../pieces/controls.js'
import { Field, Form, type Texts } from '../../pieces/forms.js'
import { Loaded, useLoad } from '../../pieces/loading.js'
import { toast } from '../../pieces/notices.js'
import { Page, Section } from '../../pieces/page.js'
import { Day } from '../../pieces/time.js'
import { ask, tell } from '../api.js'
import { T, t } from '../language.js'
import { RowList } from '../rows.js'
import { CodeField } from './login.js'

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
    toast(t('console.passkeys.added'))
    await list.reload()
  }
  const remove = async (credentialId: string) => {
    await tell('passkeys/remove', { credentialId })
    await list.reload()
  }
  return (
    <Page title={t('console.passkeys.title')}>
      <Section title={t('passkeys.title')}>
        <p>{t('console.passkeys.means')}</p>
        <Loaded of={list} shape="rows">
          {({ passkeys }) => (
            <RowList of={passkeys} icon="key" none={t('console.passkeys.none')}>
              {({ credentialId, name, createdAt }) => (
                <li key={credentialId}>
                  <div>
                    {name}
                    <br />
                    <small>
                      <T id="console.passkeys.addedOn" day={<Day at={createdAt} />} />
                    </small>
                  </div>
                  <ConfirmButton
                    name={t('common.remove')}
                    isFinal
                    label={t('console.passkeys.removeLabel', { name })}
                    question={t('console.passkeys.removeQuestion', { name })}
                    confirm={t('common.remove')}
                    act={() => remove(credentialId)}
                  />
                </li>
              )}
            </RowList>
          )}
        </Loaded>
      </Section>
      {supportsPasskeys() && (
        <Section title={t('console.passkeys.addTitle')}>
          <Form submit={t('console.passkeys.add')} send={add}>
            <Field
              label={t('field.name')}
              name="name"
              hint={t('console.passkeys.nameHint')}
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
