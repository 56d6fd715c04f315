# Two clashes: of classes, then of nodes.
class role { }
node /web/ { }
