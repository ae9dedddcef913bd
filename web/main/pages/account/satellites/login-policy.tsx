import { RadioChoice } from '../../../../pieces/forms/choice.js'
import { Form } from '../../../../pieces/forms/form.js'
import { t } from '../../../../pieces/language/t.js'
import type { Load } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import type { Account } from '../../../answers.js'
import { call } from '../../../api.js'

const policies = () => [
  { value: 'none', name: t('loginPolicy.none') },
  {
    value: 'owners',
    name: t('loginPolicy.owners'),
    hint: t('loginPolicy.ownersHint'),
  },
  { value: 'everyone', name: t('loginPolicy.everyone') },
]

/** How people log in on satellites, for the entire account. */
export function LoginPolicy({ account }: { readonly account: Load<Account> }) {
  return (
    <Loaded of={account}>
      {({ handoffRequired }) => (
        <Form
          submit={t('common.save')}
          send={async texts => {
            await call('PATCH', 'account', { handoffRequired: texts.handoffRequired })
            toast(t('common.saved'))
          }}
        >
          <RadioChoice
            label={t('loginPolicy.label')}
            name="handoffRequired"
            options={policies()}
            chosen={handoffRequired}
          />
        </Form>
      )}
    </Loaded>
  )
}
