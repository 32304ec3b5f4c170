import type { FormTexts } from '@leadtrail/contract/form-settings';

/** What visitors read around a form. English is built into the form script; pages in other languages ask for theirs. */

type AllTexts = Readonly<Record<keyof FormTexts, string>>;

export const ENGLISH: AllTexts = {
  sending: 'Sending…',
  success: 'All set!',
  error: 'The form could not be sent just now. Please try again in a moment.',
  offline: 'You seem to be offline. Nothing is lost: please send the form again once you are connected.',
  kept: 'Your message is kept and sent by itself as soon as possible.',
  invalid: 'Some of your input was not accepted. Please check it and send it again.',
  refused: 'The form cannot be sent from this page. Please contact us another way.',
  too_large: 'The form is too large to send. Please shorten the text or remove files.',
};

const TEXTS: Readonly<Record<string, AllTexts>> = {
  de: {
    sending: 'Wird gesendet …',
    success: 'Vielen Dank! Ihre Nachricht ist angekommen.',
    error: 'Das Formular konnte gerade nicht gesendet werden. Bitte versuchen Sie es gleich noch einmal.',
    offline:
      'Sie sind anscheinend offline. Es geht nichts verloren: Bitte senden Sie das Formular, sobald Sie wieder verbunden sind.',
    kept: 'Ihre Nachricht wird aufbewahrt und so bald wie möglich von selbst gesendet.',
    invalid:
      'Einige Angaben wurden nicht angenommen. Bitte prüfen Sie sie und senden Sie das Formular erneut.',
    refused: 'Von dieser Seite kann das Formular nicht gesendet werden. Bitte nehmen Sie anders Kontakt auf.',
    too_large: 'Das Formular ist zu groß. Bitte kürzen Sie den Text oder entfernen Sie Dateien.',
  },
  fr: {
    sending: 'Envoi en cours…',
    success: 'Merci ! Votre message a bien été envoyé.',
    error: 'Le formulaire n’a pas pu être envoyé. Veuillez réessayer dans un instant.',
    offline:
      'Vous semblez être hors ligne. Rien n’est perdu : renvoyez le formulaire dès que vous serez connecté.',
    kept: 'Votre message est conservé et sera envoyé automatiquement dès que possible.',
    invalid:
      'Certaines informations n’ont pas été acceptées. Veuillez les vérifier et renvoyer le formulaire.',
    refused: 'Le formulaire ne peut pas être envoyé depuis cette page. Veuillez nous contacter autrement.',
    too_large: 'Le formulaire est trop volumineux. Veuillez raccourcir le texte ou retirer des fichiers.',
  },
  es: {
    sending: 'Enviando…',
    success: '¡Gracias! Hemos recibido su mensaje.',
    error: 'No se ha podido enviar el formulario. Inténtelo de nuevo en un momento.',
    offline:
      'Parece que no tiene conexión. No se ha perdido nada: vuelva a enviar el formulario cuando esté conectado.',
    kept: 'Su mensaje se guarda y se enviará automáticamente lo antes posible.',
    invalid: 'Algunos datos no se han aceptado. Revíselos y vuelva a enviar el formulario.',
    refused: 'El formulario no se puede enviar desde esta página. Póngase en contacto de otra manera.',
    too_large: 'El formulario es demasiado grande. Acorte el texto o quite archivos.',
  },
  it: {
    sending: 'Invio in corso…',
    success: 'Grazie! Il messaggio è stato inviato.',
    error: 'Non è stato possibile inviare il modulo. Riprovi tra un momento.',
    offline:
      'Sembra che non ci sia connessione. Nulla è andato perso: invii di nuovo il modulo quando sarà connesso.',
    kept: 'Il messaggio viene conservato e inviato automaticamente appena possibile.',
    invalid: 'Alcuni dati non sono stati accettati. Li controlli e invii di nuovo il modulo.',
    refused: 'Il modulo non può essere inviato da questa pagina. Ci contatti in un altro modo.',
    too_large: 'Il modulo è troppo grande. Accorci il testo o tolga dei file.',
  },
  pt: {
    sending: 'A enviar…',
    success: 'Obrigado! A sua mensagem foi enviada.',
    error: 'Não foi possível enviar o formulário. Tente novamente dentro de momentos.',
    offline: 'Parece estar sem ligação. Nada se perdeu: envie o formulário de novo quando estiver ligado.',
    kept: 'A sua mensagem fica guardada e é enviada automaticamente logo que possível.',
    invalid: 'Alguns dados não foram aceites. Verifique-os e envie o formulário de novo.',
    refused: 'O formulário não pode ser enviado a partir desta página. Contacte-nos de outra forma.',
    too_large: 'O formulário é demasiado grande. Encurte o texto ou retire ficheiros.',
  },
  nl: {
    sending: 'Bezig met verzenden…',
    success: 'Bedankt! Uw bericht is verzonden.',
    error: 'Het formulier kon niet worden verzonden. Probeer het zo meteen opnieuw.',
    offline:
      'U lijkt offline te zijn. Er gaat niets verloren: verzend het formulier opnieuw zodra u verbinding hebt.',
    kept: 'Uw bericht wordt bewaard en zo snel mogelijk vanzelf verzonden.',
    invalid: 'Een deel van uw gegevens is niet geaccepteerd. Controleer ze en verzend het formulier opnieuw.',
    refused:
      'Het formulier kan niet vanaf deze pagina worden verzonden. Neem op een andere manier contact op.',
    too_large: 'Het formulier is te groot. Kort de tekst in of verwijder bestanden.',
  },
  pl: {
    sending: 'Wysyłanie…',
    success: 'Dziękujemy! Wiadomość została wysłana.',
    error: 'Nie udało się wysłać formularza. Spróbuj ponownie za chwilę.',
    offline: 'Wygląda na to, że nie masz połączenia. Nic nie przepadło: wyślij formularz po jego odzyskaniu.',
    kept: 'Wiadomość została zachowana i zostanie wysłana automatycznie, gdy tylko będzie to możliwe.',
    invalid: 'Niektóre dane nie zostały przyjęte. Sprawdź je i wyślij formularz ponownie.',
    refused: 'Z tej strony nie można wysłać formularza. Skontaktuj się z nami w inny sposób.',
    too_large: 'Formularz jest za duży. Skróć tekst lub usuń pliki.',
  },
  tr: {
    sending: 'Gönderiliyor…',
    success: 'Teşekkürler! Mesajınız gönderildi.',
    error: 'Form şu anda gönderilemedi. Lütfen birazdan tekrar deneyin.',
    offline: 'Çevrimdışı görünüyorsunuz. Hiçbir şey kaybolmadı: bağlandığınızda formu yeniden gönderin.',
    kept: 'Mesajınız saklanır ve mümkün olan en kısa sürede kendiliğinden gönderilir.',
    invalid: 'Bazı bilgiler kabul edilmedi. Lütfen kontrol edip formu yeniden gönderin.',
    refused: 'Form bu sayfadan gönderilemiyor. Lütfen bize başka bir yoldan ulaşın.',
    too_large: 'Form gönderilemeyecek kadar büyük. Lütfen metni kısaltın veya dosyaları kaldırın.',
  },
  ar: {
    sending: 'جارٍ الإرسال…',
    success: 'شكرًا لك! لقد وصلت رسالتك.',
    error: 'تعذّر إرسال النموذج الآن. يُرجى المحاولة مرة أخرى بعد قليل.',
    offline: 'يبدو أنك غير متصل بالإنترنت. لم يُفقد شيء: يُرجى إرسال النموذج مرة أخرى عند عودة الاتصال.',
    kept: 'رسالتك محفوظة وستُرسل تلقائيًا في أقرب وقت ممكن.',
    invalid: 'لم تُقبل بعض البيانات. يُرجى التحقق منها وإرسال النموذج مرة أخرى.',
    refused: 'لا يمكن إرسال النموذج من هذه الصفحة. يُرجى التواصل معنا بطريقة أخرى.',
    too_large: 'النموذج كبير جدًا. يُرجى اختصار النص أو إزالة الملفات.',
  },
  hi: {
    sending: 'भेजा जा रहा है…',
    success: 'धन्यवाद! आपका संदेश मिल गया है।',
    error: 'फ़ॉर्म अभी नहीं भेजा जा सका। कृपया थोड़ी देर में फिर से कोशिश करें।',
    offline: 'लगता है आप ऑफ़लाइन हैं। कुछ भी खोया नहीं है: कनेक्शन आने पर फ़ॉर्म फिर से भेजें।',
    kept: 'आपका संदेश सुरक्षित है और जल्द से जल्द अपने आप भेज दिया जाएगा।',
    invalid: 'कुछ जानकारी स्वीकार नहीं हुई। कृपया उसे जाँचें और फ़ॉर्म फिर से भेजें।',
    refused: 'इस पेज से फ़ॉर्म नहीं भेजा जा सकता। कृपया किसी और तरीके से संपर्क करें।',
    too_large: 'फ़ॉर्म बहुत बड़ा है। कृपया टेक्स्ट छोटा करें या फ़ाइलें हटाएँ।',
  },
};

/** By a language tag such as `pt-BR`; for English, or a language without texts, only the form's own. */
export function formTexts(tag: string, own: FormTexts): FormTexts {
  return { ...TEXTS[languageOf(tag)], ...given(own) };
}

/** For a page that the service renders, by Accept-Language. */
export function pageTexts(acceptLanguage: string, own: FormTexts): AllTexts & { language: string } {
  const language = languageOf(acceptLanguage);
  return { ...ENGLISH, ...(formTexts(language, own) as AllTexts), language: language || 'en' };
}

function languageOf(tag: string): string {
  const [language = ''] = tag
    .trim()
    .toLowerCase()
    .split(/[-_,;]/);
  return Object.hasOwn(TEXTS, language) ? language : '';
}

/** A text that was emptied in the dashboard falls back to the default. */
function given(own: FormTexts): FormTexts {
  return Object.fromEntries(Object.entries(own).filter(([, text]) => text !== ''));
}
