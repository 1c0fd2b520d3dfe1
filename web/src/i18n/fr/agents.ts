import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const agents: Texts["agents"] = {
  title: common.agents,
  name: common.agent,
  id: common.id,
  state: common.status,
  engines: "Moteurs",
  host: common.host,
  framework: common.framework,
  version: common.version,
  protocol: "Protocole",
  facts: common.details,
  lastSeen: common.lastSeen,
  connectedAt: "Dernière connexion",
  createdAt: "Créé",
  never: common.neverInText,
  outdated: "version de protocole plus ancienne",
  refused: "Dernier refus",
  refusedBefore: "Il s’est connecté depuis\u00a0; il n’y a rien à faire.",
  advice: common.needsAttention,
  noTrouble: "Le serveur n’a trouvé aucun problème sur cet agent.",
  capabilities: "Capacités",
  noCapabilities: "Il n’a pas indiqué ses capacités. Les agents ne les indiquent que par WebSocket.",
  lastDay: common.last24Hours,
  uptime: (percent: string) => `Connecté ${percent} des dernières 24 h`,
  uptimeOfKnown: (percent: string, duration: string) => `Connecté ${percent} du temps connu (${duration})`,
  uptimeUnknown: "Inconnu",
  away: (duration: string, time: string) => `déconnecté ${duration} à ${time}`,
  awaySince: (time: string) => `déconnecté depuis ${time}`,
  awayInAll: (count: Count, duration: string) => `déconnecté ${count.text} fois, ${duration} en tout`,
  legend: "Chaque demi-heure",
  cells: {
    connected: "Connecté",
    partly: "Déconnecté en partie",
    away: "Déconnecté",
    unknown: "Inconnu\u00a0: avant la première connexion, ou le serveur ne fonctionnait pas"
  },
  noOutage: "Aucune interruption enregistrée.",
  losses: "Télémétrie perdue",
  noLoss: "Aucun de ses processus n’a signalé d’événements perdus.",
  none: common.noAgentsYet,
  noneHint:
    "Un agent relie un moteur de tâches au serveur. L’assistant montre ce qu’il faut installer et quelles lignes copier.",
  adminsCreate: "Seuls les administrateurs créent des agents",
  adminsCreateHint: "Demandez à un administrateur du projet d’en créer un.",
  unknown: "Agent introuvable",
  unknownHint: "Il a peut-être été supprimé. La liste montre ceux qui existent.",
  create: "Nouvel agent",
  createSubmit: "Créer l’agent",
  chooseEngine: "Quel moteur exécute les tâches\u00a0?",
  newName: "Nom de l’agent",
  newNameHint: "Il apparaît dans les listes et les commandes, par exemple le nom du déploiement.",
  namespace: "Espace de noms",
  namespaceHint:
    "Facultatif. Il fait partie des identifiants de ses tâches, comme eu/mail:1. À définir là où ils ne sont uniques que dans un broker\u00a0: BullMQ, identifiants RQ choisis à la main, lecteurs externes.",
  back: "Retour aux agents",
  shownOnce:
    "Le jeton et le secret ne sont affichés qu’une fois. Copiez-les avant de quitter cette page\u00a0; toute personne qui les détient peut signaler des tâches au nom de cet agent.",
  choosePlace: "Où s’exécute le worker",
  places: { shell: "Shell", docker: "Docker", kubernetes: "Kubernetes" },
  steps: {
    environment: "1. Installer et définir l’environnement",
    code: "2. Ajouter à l’application",
    start: "3. Démarrer le worker"
  },
  celeryHostname:
    "Z4J_CELERY_LOCAL_HOSTNAME doit être identique au nom de nœud après --hostname. Sinon, chaque événement arrive une fois par agent.",
  plainHttp:
    "http en clair ne fonctionne que si le worker est sur la machine du serveur. Depuis d’autres machines, utilisez son adresse https.",
  waitTitle: "Premiers événements",
  waitingForConnection: "En attente de la connexion de l’agent",
  connected: (host: string) => `Connecté depuis ${host}`,
  waitingForEvent: "En attente du premier événement",
  firstEvent: (kind: string) => `Le premier événement est arrivé (${kind})\u00a0:`,
  toAgent: "Ouvrir l’agent",
  toOverview: "Étapes suivantes",
  remedies: {
    secret:
      "Définissez le secret HMAC affiché avec ce jeton, puis redémarrez le worker. Si vous ne l’avez plus, créez un autre agent.",
    clock: "Réglez l’horloge de la machine de l’agent, par exemple avec NTP.",
    upgrade: "Mettez à jour le paquet de l’agent\u00a0: ce serveur utilise la version 2 du protocole.",
    proxy:
      "Vérifiez le reverse proxy\u00a0: il doit transmettre le WebSocket aussitôt et garder une connexion inactive ouverte plus de 60 secondes.",
    repeated:
      "Une trame est arrivée deux fois. Cherchez un proxy qui répète des requêtes\u00a0; l’agent se reconnecte de lui-même.",
    size:
      "L’agent envoie trop de données à la fois. Raccourcissez les arguments et résultats de ses tâches, ou mettez l’agent à jour.",
    other: "Mettez à jour le paquet de l’agent. S’il est de nouveau refusé, signalez la phrase ci-dessus."
  },
  deleteQuestion: (name: string) => `Supprimer l’agent ${name}\u00a0?`,
  deleteHint:
    "Son jeton est révoqué, ses connexions sont fermées et ses commandes en cours annulées. Ses tâches sont conservées."
}
