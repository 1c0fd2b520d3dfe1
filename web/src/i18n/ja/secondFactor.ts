import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const secondFactor: Texts["secondFactor"] = {
  title: common.secondFactor,
  setUp: "二要素認証を設定",
  intro:
    "パスワードに加えて、認証アプリのコードを使います。パスワードが盗まれても、それだけではサインインできません。Aegis、Google Authenticator、1Passwordなどのアプリが必要です。",
  required: (deadline: string) =>
    `二要素認証が必須です。${deadline}までに設定してください。それまでは従来どおり利用できます。`,
  overdue: (deadline: string) => `二要素認証の設定期限は${deadline}でした。続けるには設定してください。`,
  isEnrolled: "二要素認証は設定済みです。",
  begin: "開始",
  scan: "アプリでコードを読み取ってください。読み取れない場合は、キーを入力してください。",
  qrCode: "認証アプリ用のQRコード",
  manualKey: "入力用のキー",
  codeHint: "アプリに現在表示されている6桁の数字です。",
  codes: "リカバリーコード",
  codesHint:
    "アプリを失った場合、各コードで1回サインインできます。ご自身だけが読める場所に保管してください。一度だけ表示されます。",
  download: common.download,
  copyAll: "すべてコピー",
  continue: common.continue,
  back: "後で",
  since: "設定日",
  codesLeft: "残りのリカバリーコード",
  fewCodes: "新しく作成してください",
  regenerate: "リカバリーコードを再作成",
  regenerateHint: "現在のコードはただちに使えなくなります。",
  disable: "二要素認証を解除",
  disableHint:
    "以後はパスワードだけでサインインできます。リカバリーコードと信頼済みブラウザーは削除されます。ポリシーで必須の場合は、再度設定が必要です。",
  devices: "信頼済みブラウザー",
  noDevices:
    "信頼済みブラウザーでは、一定期間コードなしでサインインできます。ご自身だけが使うブラウザーのみ信頼してください。",
  trustThis: "このブラウザーを信頼",
  thisBrowser: "このブラウザー",
  rename: "名前を変更",
  renameDevice: "ブラウザーの名前を変更",
  deviceName: common.name,
  lastSeen: "最終アクセス",
  expires: "有効期限"
}
